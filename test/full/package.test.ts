import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { expect, test } from 'vitest'
import { optionTable, shownDefault } from '../../devnet/options/optionTable.ts'
import { pageParts } from '../support/pageParts.ts'
import { PACKAGE_BUDGET } from './packageBudget.ts'

const root = new URL('../..', import.meta.url)

interface Packed {
  readonly name: string
  readonly files: readonly { readonly path: string }[]
}

const manifest: {
  readonly bin: Record<string, string>
  readonly exports: Record<string, string | Record<string, string>>
} = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

const licensed = readFileSync(new URL('dist/LICENSES.txt', root), 'utf8')

/** Source maps of the checkout, which the package does without. */
const maps = readdirSync(new URL('dist/chunks', root))
  .filter((name) => name.endsWith('.js.map'))
  .map((name) => `dist/chunks/${name}`)

let paths: string[] | undefined

/** Paths of the files that `npm publish` would send. */
function packed(): string[] {
  paths ??= pack()
  return paths
}

function pack(): string[] {
  const answer = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  // One entry a package, in a list or by name, as the version of npm has it.
  const [entry] = Object.values(JSON.parse(answer) as Record<string, Packed>)
  return (entry?.files ?? []).map(({ path }) => path).sort()
}

test('the package holds the compiled code and the documents, and nothing else', () => {
  const strangers = packed().filter(
    (path) =>
      !/^dist\/(?:plugin|devnet)\/[\w./-]+\.(?:js|d\.ts|wasm|html|css)$/.test(path) &&
      !/^dist\/(?:chunks\/[\w-]+\.js|native\/[\w-]+\/[\w.]+\.node)$/.test(path) &&
      !/^(?:plugin|devnet)\/[\w./-]+\.(?:md|png|svg)$/.test(path) &&
      !['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/LICENSES.txt', 'package.json'].includes(path),
  )
  expect(strangers).toEqual([])
  expect(packed()).toEqual(
    expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']),
  )
})

test('the package has at most 6 MB', () => {
  const size = packed().reduce((sum, path) => sum + statSync(new URL(path, root)).size, 0)
  expect(size).toBeLessThan(PACKAGE_BUDGET.unpacked)
})

test('every export finds its file, and every declaration those that it names', () => {
  const files = packed()
  const exported = Object.values(manifest.exports)
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .map((path) => path.replace(/^\.\//, ''))
  expect(files).toEqual(expect.arrayContaining(exported))

  for (const room of ['wallet', 'dashboard'] as const) {
    const { first, all } = pageParts(room)
    expect(all).toEqual(expect.arrayContaining([...first]))
    const names = ['page.html', ...all, ...(room === 'wallet' ? ['provider.js'] : [])]
    const bundles = files.filter((path) => path.startsWith(`dist/devnet/${room}/browser/`))
    expect(bundles.sort()).toEqual(
      names.map((name) => `dist/devnet/${room}/browser/${name}`).sort(),
    )
  }
  expect(files).toContain('dist/devnet/engine/core/core.wasm')
  const declarations = files.filter((path) => path.endsWith('.d.ts'))
  expect(declarations.length).toBeGreaterThan(20)
  for (const path of declarations) {
    const text = readFileSync(new URL(path, root), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from |import\(|import )['"](\.[^'"]+)['"]/g)) {
      const named = posix.join(dirname(path), name.replace(/\.[jt]s$/, '.d.ts'))
      expect(declarations, path).toContain(named)
    }
  }
})

test('what is installed is not bundled, and what is bundled is not installed', () => {
  const bundled = [...licensed.matchAll(/^(\S+) [\d.]+\S*, .*, https:\/\/www\.npmjs\.com\//gm)]
  const names = bundled.map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(3)
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
  for (const name of names) expect(packages[`node_modules/${name}`].dev, name).toBe(true)
})

test('nothing that is installed has a script of its own for that', () => {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
  const installed = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
  expect(installed).toEqual([])
})

test('a TypeScript loader has nothing to rewrite', () => {
  const chunks = packed().filter((path) => /^dist\/chunks\/.*\.js$/.test(path))
  const rewritten = chunks.filter((path) =>
    /\bimport\(/.test(readFileSync(new URL(path, root), 'utf8')),
  )
  // What the others import on demand.
  expect(rewritten).toEqual(['dist/chunks/import-file.js'])
})

test('nothing is loaded only to load another file', () => {
  const chunks = packed()
    .filter((path) => path.startsWith('dist/chunks/') && path.endsWith('.js'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
  const passages = chunks.filter(({ text }) => /^export \{[^}]+\} from "[^"]+";\s*$/.test(text))
  expect(passages.length).toBeGreaterThan(20)
  for (const { path } of passages) {
    const name = path.slice('dist/chunks/'.length)
    const importers = chunks.filter(({ text }) => text.includes(`"./${name}"`))
    expect(importers.map((chunk) => chunk.path)).toEqual([])
  }
})

/** Bytes of the built files of these sources, and of all that they import statically. */
function loadedSize(...sources: string[]): number {
  const loaded = new Set<string>()
  const load = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    const file = new URL(path, root)
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^import .*"(\.[^"]+)";$/gm)) {
      load(new URL(name ?? '', file).href.slice(root.href.length))
    }
  }
  for (const source of sources) {
    const map = maps.find((path) =>
      JSON.parse(readFileSync(new URL(path, root), 'utf8')).sources.includes(`../../${source}`),
    )
    expect(map, source).toBeDefined()
    load((map ?? '').slice(0, -'.map'.length))
  }
  return [...loaded].reduce((sum, path) => sum + statSync(new URL(path, root)).size, 0)
}

test('connections to other networks load no node', () => {
  const names = ['hooks/network', 'hooks/hre', 'network/node-per-connection']
  expect(loadedSize(...names.map((name) => `plugin/${name}.ts`))).toBeLessThan(100_000)
})

test('a start of Hardhat that checks the options of a network loads no node', () => {
  const size = loadedSize('plugin/network/validate.ts', 'devnet/options/options.ts')
  expect(size).toBeLessThan(120_000)
})

test('the binary is there, and says what runs it', () => {
  expect(Object.keys(manifest.bin)).toEqual(['pending-node'])
  for (const path of Object.values(manifest.bin)) {
    expect(packed()).toContain(path)
    expect(readFileSync(new URL(path, root), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  }
})

test('the package exports its parts under its own name', () => {
  const script = `
    const { default: plugin } = await import('hardhat-pending-node')
    const { createDevnet } = await import('hardhat-pending-node/devnet')
    const { connectWallet } = await import('hardhat-pending-node/wallet')
    const { assertPreconfirmed } = await import('hardhat-pending-node/assertions')
    const { conformance } = await import('hardhat-pending-node/conformance')
    const { explore } = await import('hardhat-pending-node/explore')
    const parts = [createDevnet, connectWallet, assertPreconfirmed, conformance, explore]
    console.log(plugin.id, ...parts.map((part) => typeof part))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(output).toBe('hardhat-pending-node function function function function function\n')
})

test('editors show what each option does', () => {
  const declarations = readFileSync(new URL('dist/devnet/options/optionTable.d.ts', root), 'utf8')
  for (const [name, option] of Object.entries(optionTable)) {
    const comment = `/** ${option.description} Default: ${shownDefault(option)} */`
    expect(declarations).toContain(`    ${comment} readonly ${name}: {\n`)
  }
})
