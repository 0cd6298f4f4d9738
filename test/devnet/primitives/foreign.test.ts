import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBlocks } from '../../../devnet/persistence/import/blockFile.ts'
import { ChainFileError } from '../../../devnet/primitives/errors.ts'
import { readForeignFile } from '../../../devnet/primitives/foreign.ts'
import { folder } from '../persistence/support.ts'

test('a device, a pipe and a folder are not read', async () => {
  const path = folder()
  const pipe = join(path, 'pipe')
  execFileSync('mkfifo', [pipe])
  symlinkSync('/dev/zero', join(path, 'link'))
  const special = 'it is a device, a pipe or a socket, not a file'
  for (const [name, reason] of [
    ['/dev/zero', special],
    [join(path, 'link'), special],
    [pipe, special],
    [path, 'it is a folder'],
  ] as const) {
    const message = `${name} cannot be read: ${reason}.`
    await expect(readForeignFile(name)).rejects.toThrow(new ChainFileError(message))
    await expect(readBlocks(name).next()).rejects.toThrow(new ChainFileError(message))
  }
})

test('a file that is too large to be parsed is not read', async () => {
  const path = join(folder(), 'large.json')
  writeFileSync(path, '')
  truncateSync(path, 600_000_000)
  await expect(readForeignFile(path)).rejects.toThrow(
    new ChainFileError(`${path} has 600000000 bytes, more than can be read.`),
  )
})
