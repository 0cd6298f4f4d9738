import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What the library judges: after a change there, all of its files are played. */
const JUDGED = ['devnet/engine', 'devnet/state', 'devnet/protocol']

/** One file in so many is a share. */
export const SHARES = 5

/** The seed of the share that `.ci/run` plays: the time of the commit. Elsewhere `undefined`. */
export function shareSeed(): number | undefined {
  const { TEST_SHARE = '' } = process.env
  if (TEST_SHARE === '') return
  if (!/^\d+$/.test(TEST_SHARE)) throw new Error(`TEST_SHARE is a whole number, not ${TEST_SHARE}`)
  return Number(TEST_SHARE)
}

/** The test files of a project of vitest, by their paths from the root, in order. */
export function filesOf(include: readonly string[], exclude: readonly string[] = []): string[] {
  const all = globSync([...include], {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  })
  return all
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !exclude.some((pattern) => matchesGlob(path, pattern)))
    .sort()
}

/** The share of these files that belongs to a seed: each belongs to one seed in {@link SHARES}. */
export function shareOf(files: readonly string[], seed: number): string[] {
  return files.filter((_, index) => (index + seed) % SHARES === 0)
}

/** The test files that are played in part unless `LONG_TESTS` is 1: `test/support/longRuns.ts`. */
export function sampledFiles(): string[] {
  return filesOf(['test/**/*.test.ts']).filter((path) =>
    readFileSync(root + path, 'utf8').includes("support/longRuns.ts'"),
  )
}

/**
 * Whether something that the library judges has changed since the main branch; on that branch
 * itself, in the day before the commit, since several may have come at once. It has if that cannot
 * be told, as in a shallow clone.
 */
export function isJudgedChanged(cwd = root): boolean {
  const git = (...args: string[]) => {
    const safe = ['-c', 'safe.directory=*', ...args]
    const { status, stdout } = spawnSync('git', safe, { cwd, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return true
  const head = git('rev-parse', 'HEAD')
  const base = ['origin/main', 'main']
    .map((main) => git('merge-base', 'HEAD', main))
    .find((commit) => commit !== undefined && commit !== head)
  const dayBefore = Number(git('log', '-1', '--format=%ct')) - 86_400
  const older = git('rev-list', '-1', `--before=${dayBefore}`, 'HEAD')
  return git('diff', '--name-only', base ?? older ?? 'HEAD^', '--', ...JUDGED) !== ''
}
