import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { read, root } from '../docs/documents.ts'

const top = fileURLToPath(root)

/** What `ci.yml` says of a pull request that changes these files of a repository like this one. */
function asked(changes: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'changesets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 3 }))
  const run = (program: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    return { status, said: stdout + stderr }
  }
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']
    run('git', 'add', '.')
    expect(run('git', ...identity, 'commit', '--quiet', '--message=test')).toMatchObject({
      status: 0,
    })
  }
  run('git', 'init', '--quiet')
  cpSync(join(top, 'package.json'), join(folder, 'package.json'))
  commit({ '.changeset/config.json': read('.changeset/config.json'), 'devnet/README.md': '' })
  commit(changes)

  const { jobs } = parse(read('.github/workflows/ci.yml'))
  const steps: readonly { readonly run?: string }[] = jobs.checks.steps
  const [command = ''] = steps.flatMap(
    ({ run }) => run?.match(/(?<=^npm run changeset -- ).*/) ?? [],
  )
  const program = join(top, 'node_modules/@changesets/cli/bin.js')
  return run(process.execPath, program, ...command.split(' '))
}

const words = '---\n"hardhat-pending-node": patch\n---\n\nIt is quicker.\n'
const source = { 'devnet/rpc/methods/new.ts': 'export const value = 1\n' }

test.each<[string, Readonly<Record<string, string>>]>([
  ['the plugin', { 'plugin/hooks/new.ts': 'export const value = 1\n' }],
  ['a page', { 'devnet/pages/kit/new.css': 'a {\n  top: 0;\n}\n' }],
])('a change of %s without a changeset is told how to write one', (_, changes) => {
  const { status, said } = asked(changes)
  expect(status).toBe(1)
  expect(said).toMatch(/Run changeset add .* run changeset add --empty/s)
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['with the words for users', { ...source, '.changeset/calm-cats.md': words }],
  ['that no user notices', { ...source, '.changeset/calm-cats.md': '---\n---\n' }],
  [
    'of tests and documents',
    { 'test/new.test.ts': '', 'devnet/README.md': 'New.\n', 'devnet/new.svg': '' },
  ],
])('a change %s passes', (_, changes) => {
  expect(asked(changes)).toMatchObject({ status: 0 })
})

test('changesets are configured for a package that anybody can read', () => {
  expect(JSON.parse(read('.changeset/config.json'))).toMatchObject({
    access: 'public',
    baseBranch: 'main',
    commit: false,
  })
})
