import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { projectToken } from '../../../devnet/server/projectToken.ts'

const NOT_OWN =
  /another token in each run: .* must be a file of yours that nobody else may read, .*: remove it$/

/** Folders of two projects, and of the tokens. */
let root: string
let project: string
let tokens: string
let told: string[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'project-token-'))
  project = join(root, 'project')
  tokens = join(root, 'caches', 'tokens')
  for (const name of ['project', 'other']) mkdirSync(join(root, name))
  told = []
  vi.spyOn(console, 'error').mockImplementation((line) => told.push(line))
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

function files(): string[] {
  return readdirSync(tokens).map((name) => join(tokens, name))
}

test('a project keeps its token, and another one has another', async () => {
  const first = await projectToken(project, tokens)
  expect(first).toMatch(/^[\w-]{43}$/)
  expect(await projectToken(project, tokens)).toBe(first)
  expect(await projectToken(join(root, 'other'), tokens)).not.toBe(first)
  expect(files()).toHaveLength(2)
  expect(told).toEqual([])
})

test('a project is the same by whatever path', async () => {
  const alias = join(root, 'alias')
  symlinkSync(project, alias)
  expect(await projectToken(alias, tokens)).toBe(await projectToken(project, tokens))
})

test('of nodes that start at the same time, all have the same token', async () => {
  const started = Array.from({ length: 20 }, () => projectToken(project, tokens))
  const all = new Set(await Promise.all(started))
  expect(all.size).toBe(1)
  const [file = ''] = files()
  expect(files()).toEqual([file])
  expect([...all]).toEqual([readFileSync(file, 'utf8')])
})

describe.skipIf(process.platform === 'win32')('the file of a token', () => {
  async function madeFile(): Promise<{ file: string; first: string }> {
    const first = await projectToken(project, tokens)
    const [file = ''] = files()
    return { file, first }
  }

  /** The token is another one in each run, and one line says why. */
  async function expectRefused(first: string, reason: RegExp): Promise<void> {
    const given = [await projectToken(project, tokens), await projectToken(project, tokens)]
    expect(new Set([first, ...given]).size).toBe(3)
    expect(told).toHaveLength(2)
    for (const line of told) expect(line).toMatch(reason)
    for (const token of [first, ...given]) expect(told.join()).not.toContain(token)
  }

  test('is the user’s alone, and so is its folder', async () => {
    const { file } = await madeFile()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(tokens).mode & 0o777).toBe(0o700)
  })

  test.each([0o640, 0o604, 0o620, 0o666])('is refused with mode %o', async (mode) => {
    const { file, first } = await madeFile()
    chmodSync(file, mode)
    await expectRefused(first, NOT_OWN)
  })

  test('is refused as a link, even to a good one', async () => {
    const { file, first } = await madeFile()
    const aside = join(root, 'aside')
    linkSync(file, aside)
    rmSync(file)
    symlinkSync(aside, file)
    await expectRefused(first, /another token in each run: ELOOP/)
    expect(readFileSync(aside, 'utf8')).toBe(first)
  })

  test('is refused as a folder and as a pipe, which nobody writes to', async () => {
    const { file, first } = await madeFile()
    rmSync(file)
    mkdirSync(file)
    await expectRefused(first, NOT_OWN)
    rmSync(file, { recursive: true })
    execFileSync('mkfifo', ['-m', '600', file])
    told = []
    await expectRefused(first, NOT_OWN)
  })

  test.each(['', 'short', 'x'.repeat(1_000_000), 'no token has spaces in it'])(
    'is refused if it holds no token',
    async (text) => {
      const { file, first } = await madeFile()
      writeFileSync(file, text)
      await expectRefused(first, NOT_OWN)
    },
  )

  test('is refused if it is somebody else’s', async () => {
    const { first } = await madeFile()
    vi.spyOn(process, 'getuid').mockReturnValue(4_242)
    await expectRefused(first, NOT_OWN)
  })

  test('is not there if no folder can be, which one line says', async () => {
    writeFileSync(join(root, 'caches'), '')
    await expectRefused('of nobody', /another token in each run: (?:ENOTDIR|EEXIST)/)
  })
})

test('a project that is gone has a token for this run', async () => {
  rmSync(project, { recursive: true })
  expect(await projectToken(project, tokens)).toMatch(/^[\w-]{43}$/)
  expect(told).toHaveLength(1)
})
