import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readBlocks } from '../../../devnet/persistence/import/blockFile.ts'
import {
  prepareStateFile,
  readChainFile,
  writeWhole,
} from '../../../devnet/persistence/stateFile.ts'
import { ChainFileError } from '../../../devnet/primitives/errors.ts'
import { runs } from '../../support/longRuns.ts'

/** A folder that is gone after the test. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pending-node-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

/** A process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

test('default', async () => {
  const path = join(folder(), 'state.json')
  expect(await writeWhole(path, bytes('one ', 'two'))).toBe(7)
  expect(readFileSync(path, 'utf8')).toBe('one two')
  expect(await writeWhole(path, bytes('three'))).toBe(5)
  expect(Buffer.from(await readChainFile(path)).toString()).toBe('three')
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('behavior: what fails half-way leaves the file as it was', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half')
    throw new Error('no more')
  }
  await expect(writeWhole(path, failing())).rejects.toThrow('no more')
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('behavior: a link stays one', async () => {
  const path = folder()
  writeFileSync(join(path, 'real.json'), 'before')
  symlinkSync('real.json', join(path, 'state.json'))
  await writeWhole(join(path, 'state.json'), bytes('after'))
  expect(readFileSync(join(path, 'real.json'), 'utf8')).toBe('after')
})

test('behavior: a link to a file that is not there yet stays one, also into another folder', async () => {
  const [path, elsewhere] = [folder(), folder()]
  const link = join(path, 'state.json')
  symlinkSync(join(elsewhere, 'real.json'), link)
  const dead = join(elsewhere, `real.json.${await endedProcess()}.tmp`)
  writeFileSync(dead, '')
  await prepareStateFile(link)
  await writeWhole(link, bytes('after'))
  expect(readdirSync(elsewhere)).toEqual(['real.json'])
  expect(readFileSync(link, 'utf8')).toBe('after')
})

test('behavior: a link into a folder that is not there is refused at the start', async () => {
  const path = folder()
  const link = join(path, 'state.json')
  symlinkSync(join(path, 'no', 'real.json'), link)
  await expect(prepareStateFile(link)).rejects.toThrow(
    `${link} cannot be saved: the folder ${join(path, 'no')} does not exist.`,
  )
})

test('behavior: says why a state cannot be saved there', async () => {
  const path = folder()
  const missing = join(path, 'no', 'state.json')
  await expect(prepareStateFile(missing)).rejects.toThrow(ChainFileError)
  await expect(prepareStateFile(missing)).rejects.toThrow(
    `${missing} cannot be saved: the folder ${join(path, 'no')} does not exist.`,
  )
  await expect(prepareStateFile(path)).rejects.toThrow(`${path} cannot be saved: it is a folder.`)
  writeFileSync(join(path, 'file'), '')
  const below = join(path, 'file', 'state.json')
  await expect(prepareStateFile(below)).rejects.toThrow(
    `${below} cannot be saved: ${join(path, 'file')} is a file, not a folder.`,
  )
  await expect(writeWhole(missing, bytes(''))).rejects.toThrow(
    `${missing} cannot be saved: ENOENT: no such file or directory.`,
  )
  await expect(readChainFile(path)).rejects.toThrow(`${path} cannot be read: it is a folder.`)
  await expect(readChainFile(missing)).rejects.toThrow(
    `${missing} cannot be read: ENOENT: no such file or directory.`,
  )
  await prepareStateFile(join(path, 'state.json'))
})

// Nothing is forbidden to root.
test.skipIf(process.getuid?.() === 0)('behavior: without the permission', async () => {
  const path = join(folder(), 'closed')
  mkdirSync(path)
  const file = join(path, 'state.json')
  writeFileSync(file, '{}')
  chmodSync(file, 0o444)
  await expect(prepareStateFile(file)).rejects.toThrow(
    `${file} cannot be saved: EACCES: permission denied.`,
  )
  chmodSync(path, 0o555)
  await expect(prepareStateFile(join(path, 'other.json'))).rejects.toThrow('permission denied.')
  await expect(writeWhole(join(path, 'other.json'), bytes(''))).rejects.toThrow(
    'permission denied.',
  )
  chmodSync(path, 0o755)
})

test('behavior: removes what a killed process left, and nothing else', async () => {
  const path = folder()
  const dead = `state.json.${await endedProcess()}.tmp`
  const kept = [`state.json.${process.pid}.tmp`, 'state.json.bak', 'other.json.1.tmp']
  for (const name of [dead, ...kept]) writeFileSync(join(path, name), '')
  await prepareStateFile(join(path, 'state.json'))
  expect(readdirSync(path).sort()).toEqual([...kept].sort())
})

test('behavior: killed while it saves, again and again, the file is whole', async () => {
  const path = join(folder(), 'state.json')
  const program = fileURLToPath(new URL('saving.child.ts', import.meta.url))
  for (let round = 0; round < runs(30); round++) {
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    // It saves without a pause and says so each time: the signal comes at any place in the next save.
    for (let saves = 0; saves <= round; saves++) await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await exited
    const { accounts, pending_node } = JSON.parse(readFileSync(path, 'utf8'))
    expect([Object.keys(accounts).length, pending_node.format]).toEqual([525, 5])
  }
  await prepareStateFile(path)
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('behavior: a device, a pipe and a folder are not read', async () => {
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
    await expect(readChainFile(name)).rejects.toThrow(new ChainFileError(message))
    await expect(readBlocks(name).next()).rejects.toThrow(new ChainFileError(message))
  }
})

test('behavior: a file that is too large to be parsed is not read', async () => {
  const path = join(folder(), 'large.json')
  writeFileSync(path, '')
  truncateSync(path, 600_000_000)
  await expect(readChainFile(path)).rejects.toThrow(
    new ChainFileError(`${path} has 600000000 bytes, more than can be read.`),
  )
})
