import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { parse } from 'yaml'
import config from '../../vitest.config.ts'
import { filesOf, isJudgedChanged, SHARES, sampledFiles, shareOf } from '../full/shares.ts'
import fullConfig from '../full/vitest.config.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

type Options = NonNullable<TestProjectInlineConfiguration['test']>

const files = ({ include = [], exclude = [] }: Options) => filesOf(include, exclude)

/** The projects of `npm run test:full`, with the seed of a share; or those of `npm run test:long`. */
async function projects(mode: 'test' | 'long', share = ''): Promise<Map<string, Options>> {
  vi.stubEnv('TEST_SHARE', share)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { test } = await fullConfig({ mode, command: 'serve' })
  // The configuration has no projects of other forms.
  const all = (test?.projects ?? []) as TestProjectInlineConfiguration[]
  return new Map(all.map(({ test = {} }) => [String(test.name), test]))
}

test('npm test or npm run test:full plays every test file', async () => {
  const full = (await projects('test')).values()
  const played = new Set([config.test ?? {}, ...full].flatMap(files))
  // Benchmarks and programs of others have runners of their own.
  const all = filesOf(['test/**/*.test.ts'], ['test/bench/**', 'test/programs/**'])
  expect(all.filter((path) => !played.has(path))).toEqual([])
})

test('npm run test:long plays all of what is played in part', async () => {
  const full = await projects('test')
  const shared = await projects('test', '7')
  const long = await projects('long', '7')
  for (const [name, options] of full) {
    // Without a share of its own, but for its long tests.
    if (name === 'full') expect(shared.get(name)).toEqual(options)
    else expect(long.get(name)).toEqual(options)
  }
  const whole = [...long.values()].filter(({ env }) => env?.LONG_TESTS === '1').flatMap(files)
  expect(sampledFiles().filter((path) => !whole.includes(path))).toEqual([])
  // A test that samples through another file would not be found.
  const helpers = filesOf(['test/**/*.ts'], ['test/**/*.test.ts', 'test/programs/**'])
  expect(helpers.filter((path) => /from '.*longRuns\.ts'/.test(read(path)))).toEqual([])
})

test('each file is in one of five shares, which are the same for the same seed', () => {
  const all = filesOf(['test/devnet/**/*.test.ts'])
  const shares = Array.from({ length: SHARES }, (_, index) => shareOf(all, 1_790_000_000 + index))
  expect(shares.flat().sort()).toEqual(all)
  for (const share of shares) expect(share.length).toBeGreaterThan(all.length / SHARES - 1)
})

test('the nightly run plays each part', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yml'))
  const parts: string[] = jobs.long.strategy.matrix.part
  expect(parts).toEqual(parts.map((_, index) => `${index + 1}/${parts.length}`))
  expect(jobs.long['timeout-minutes']).toBeLessThanOrEqual(60)
  const runs: (string | undefined)[] = jobs.long.steps.map(({ run }: { run?: string }) => run)
  expect(runs).toContain(`npm run test:long -- --part \${{ matrix.part }}`)
})

test('all of library is played after a change of what it judges, and if that cannot be told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-shares-'))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  // Of a hook of git, they name another repository; and the settings of a user may want signatures.
  const variables = Object.keys(process.env).filter((name) => name.startsWith('GIT_'))
  for (const name of variables) vi.stubEnv(name, undefined)
  vi.stubEnv('HOME', folder)
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
    expect(spawnSync('git', [...who, ...args], { cwd: folder }).status).toBe(0)
  }
  const commit = (path: string, days: number) => {
    vi.stubEnv('GIT_COMMITTER_DATE', `${1_790_000_000 + days * 86_400} +0000`)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
    git('add', '.')
    git('commit', '--quiet', '--message', path)
  }
  expect(isJudgedChanged(folder)).toBe(true)
  git('init', '--quiet', '--initial-branch', 'main')
  commit('README.md', 0)
  expect(isJudgedChanged(folder)).toBe(true)
  commit('devnet/rpc/a.ts', 2)
  expect(isJudgedChanged(folder)).toBe(false)
  commit('devnet/state/a.ts', 4)
  expect(isJudgedChanged(folder)).toBe(true)
  commit('devnet/rpc/b.ts', 4.5)
  expect(isJudgedChanged(folder)).toBe(true)
  commit('devnet/rpc/c.ts', 6)
  expect(isJudgedChanged(folder)).toBe(false)
  git('switch', '--quiet', '--create', 'branch')
  commit('devnet/rpc/d.ts', 7)
  expect(isJudgedChanged(folder)).toBe(false)
  commit('devnet/engine/b.ts', 8)
  commit('devnet/rpc/e.ts', 11)
  expect(isJudgedChanged(folder)).toBe(true)
  git('clone', '--quiet', '--depth', '1', pathToFileURL(folder).href, 'shallow')
  expect(isJudgedChanged(join(folder, 'shallow'))).toBe(true)
})
