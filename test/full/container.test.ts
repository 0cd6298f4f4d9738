import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { askNode } from '../support/peerNode.ts'
import { pack } from './consumer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A user whom no file of the test belongs to. Only root can run something as another user. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of the Dockerfile, by its stages. */
const stages: Instruction[][] = []
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
for (const line of dockerfile
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .trim()
  .split('\n')) {
  const [, name = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? []
  if (name === 'FROM') stages.push([])
  stages.at(-1)?.push({ name, text })
}
const [build = [], image = []] = stages
const of = (stage: readonly Instruction[], name: string) =>
  stage.filter((instruction) => instruction.name === name).map(({ text }) => text)

/** Names in the folder that `docker build` sends. */
const context = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

let folder: string
let file: ReturnType<typeof pack>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-container-'))
  chmodSync(folder, 0o755)
  file = pack()
})
afterAll(() => {
  file[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

test('the image is of two stages, slim, and not run by root', () => {
  expect(stages).toHaveLength(2)
  const { engines }: { engines: { node: string } } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  expect(engines.node).toMatch(/^>=22\./)
  for (const text of stages.flatMap((stage) => of(stage, 'FROM'))) {
    expect(text).toMatch(/^node:2[4-9]-\w+-slim(?: AS package)?$/)
  }
  const names = image.map(({ name }) => name)
  expect(of(image, 'USER')).toEqual(['node'])
  expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'))
  expect(names.at(-1)).toBe('ENTRYPOINT')
})

test('what docker build sends is enough to build and pack the package', () => {
  expect(context[0]).toBe('*')
  const sent = context.slice(1).map((line) => line.replace(/^!/, ''))
  expect(sent.filter((name) => !existsSync(join(root, name)))).toEqual([])
  const source = join(folder, 'source')
  mkdirSync(source)
  for (const name of sent) cpSync(join(root, name), join(source, name), { recursive: true })
  // In place of `npm ci`, which ends with this build.
  expect(of(build, 'RUN')[0]).toMatch(/^npm ci /)
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: source, encoding: 'utf8' })
    expect(status, stdout + stderr).toBe(0)
    return stdout
  }
  run('run', 'build')
  const listed = (text: string) => {
    const [entry] = Object.values<{ files: { path: string }[] }>(JSON.parse(text))
    // Names of chunks have a hash of their text, in which there are paths of packages.
    return entry?.files.map(({ path }) => path.replace(/-[\w-]{8}(?=\.js$)/, '')).sort()
  }
  const packing = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const here = spawnSync('npm', packing, { cwd: root, encoding: 'utf8' }).stdout
  expect(listed(run(...packing))).toEqual(listed(here))
})

/** Plays the installation of the image into a folder. */
function installed(): string {
  const usr = join(folder, 'usr')
  const [text = ''] = of(image, 'RUN')
  const command = text
    .replace(/^--mount=type=bind,from=package,source=\/package,target=\/package /, '')
    .replace('/package/*.tgz', file.file)
    .replaceAll('/tmp/npm', join(folder, 'npm'))
    .replaceAll('/data', join(folder, 'data'))
    // There is no user of that name here.
    .replace('chown node:node', 'chmod 777')
  expect(text).toMatch(/^--mount=/)
  const { status, stderr } = spawnSync('sh', ['-ec', command], {
    encoding: 'utf8',
    env: { ...process.env, npm_config_prefix: usr },
  })
  expect(status, stderr).toBe(0)
  expect(existsSync(join(folder, 'npm'))).toBe(false)
  return join(usr, 'bin')
}

test('its command runs, is healthy and ends for a user who can write nowhere', async () => {
  const bin = installed()
  const port = await freePort()
  const bare = join(folder, 'read-only')
  mkdirSync(bare, { mode: 0o555 })
  const words = (text: string): string[] => JSON.parse(text.replaceAll('8545', String(port)))
  const data = join(folder, 'data')
  const [cache = ''] = of(image, 'ENV').map((text) => text.replace(/^XDG_CACHE_HOME=\/data/, ''))
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: bare,
    TMPDIR: bare,
  }
  const start = (cwd: string, ...options: string[]) => {
    const [command = '', ...args] = words(of(image, 'ENTRYPOINT')[0] ?? '')
    const all = [...args, '--port', String(port), ...options]
    const child = spawn(command, all, {
      cwd,
      env: { ...env, XDG_CACHE_HOME: cwd + cache },
      ...nobody,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let complaints = ''
    child.stderr.on('data', (data) => {
      complaints += String(data)
    })
    return { child, complaints: () => complaints }
  }
  const ready = async ({ child }: ReturnType<typeof start>) => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('JSON-RPC server at')) break
    }
    child.stdout.resume()
  }
  const stop = async ({ child }: ReturnType<typeof start>) => {
    const ended = once(child, 'exit')
    child.kill(of(image, 'STOPSIGNAL')[0] === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL')
    await ended
    return child.exitCode
  }
  const health = () => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(of(image, 'HEALTHCHECK')[0] ?? '') ?? []
    const [program = '', ...args] = words(command)
    return spawnSync(program, args, { cwd: bare, env, ...nobody }).status
  }

  const node = start(bare)
  await ready(node)
  // Docker asks from inside, others through a port of their machine.
  expect(health()).toBe(0)
  expect(await askNode(`http://localhost:${port}`, 'eth_chainId')).toBe('0x7a69')
  expect(await stop(node)).toBe(143)
  expect(node.complaints()).toMatch(
    /^hardhat-pending-node: the dashboard has another token in each run: .*\n$/,
  )
  expect(health()).toBe(1)

  // As with a volume at /data.
  const kept = start(data, '--state', 'state.json')
  await ready(kept)
  expect(await stop(kept)).toBe(143)
  expect(kept.complaints()).toBe('')
  expect(existsSync(join(data, 'state.json'))).toBe(true)
})
