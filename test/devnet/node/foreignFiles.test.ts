import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'
import { ChainFileError, DevnetError, OptionError } from '../../../devnet/primitives/errors.ts'
import { BLOCK_FORKS } from '../../support/genesisFile.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foreign-'))
  writeFileSync(
    join(folder, 'genesis.json'),
    JSON.stringify({ config: { chainId: 1, ...BLOCK_FORKS }, gasLimit: '0x1c9c380', alloc: {} }),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All options that name a file to read. */
const READERS: Readonly<Record<string, (path: string) => OptionsInput>> = {
  state: (state) => ({ state }),
  loadState: (loadState) => ({ loadState }),
  genesis: (genesis) => ({ genesis }),
  import: (path) => ({ genesis: join(folder, 'genesis.json'), import: path }),
  faults: (faults) => ({ faults }),
  forkRecording: (forkRecording) => ({ forkRecording }),
}

/** Puts something at a path that no reader can use. */
const DAMAGES: Readonly<Record<string, (path: string) => unknown>> = {
  'a device': () => '/dev/zero',
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a file in a file': (path) => {
    writeFileSync(path, '')
    return join(path, 'inner')
  },
  'a file that is too large': (path) => {
    writeFileSync(path, '{')
    truncateSync(path, 600_000_000)
  },
  'an empty file': (path) => writeFileSync(path, ''),
  'half of JSON': (path) => writeFileSync(path, '{"version": 1, "config": {"chainId": 1'),
  'JSON of another kind': (path) => writeFileSync(path, '[{"toString": 1}]'),
  'an object that has a toString': (path) =>
    writeFileSync(path, '{"toString":1,"version":{"toString":1},"rules":{"toString":1}}'),
  'deep JSON': (path) => writeFileSync(path, '['.repeat(200_000)),
  'a byte order mark': (path) => writeFileSync(path, '\ufeff{"rules":5}'),
  'a text of 9 MB': (path) => writeFileSync(path, `["${'\\"'.repeat(4_500_000)}"]`),
}

describe.each(Object.keys(READERS))('%s', (reader) => {
  test.each(Object.keys(DAMAGES))('%s ends the start with a sentence', async (damage) => {
    const path = join(folder, `${reader}-${damage.replaceAll(' ', '-')}`)
    const given = DAMAGES[damage]?.(path)
    const named = typeof given === 'string' ? given : path
    // Nothing to import is no fault.
    if (reader === 'import' && damage === 'an empty file') return
    // The file need not be there.
    if (reader === 'state' && damage === 'a file in a file') return
    const error = await start(READERS[reader]?.(named) ?? {})
    const isForUser = [ChainFileError, DevnetError, OptionError].some((one) => error instanceof one)
    expect(isForUser, `${error}`).toBe(true)
    expect(String(error)).toContain(named)
    expect(String(error)).not.toContain('\n')
  })
})

/** The error of a start. */
async function start(options: OptionsInput): Promise<unknown> {
  const devnet = createDevnet({ port: 0, ...options })
  try {
    await devnet.start()
  } catch (error) {
    return error
  } finally {
    await devnet.stop()
  }
  return 'It started'
}
