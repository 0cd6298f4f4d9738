import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Save, SavedFile } from '../../../devnet/persistence/savedFile.ts'
import { ChainFileError, OptionError } from '../../../devnet/primitives/errors.ts'
import { readForeignFile } from '../../../devnet/primitives/foreign.ts'
import { runs } from '../../support/longRuns.ts'
import { StepwiseSaver } from './stepwise.ts'
import { bytes, folder } from './support.ts'

/** A save that met no other program. */
const saved = (size: number): Save => ({ size, foreign: undefined })

test('default', async () => {
  const path = join(folder(), 'state.json')
  const file = await SavedFile.open(path)
  expect(await file.save(bytes('one ', 'two'))).toEqual(saved(7))
  expect(readFileSync(path, 'utf8')).toBe('one two')
  expect(await file.save(bytes('three'))).toEqual(saved(5))
  expect(Buffer.from(await readForeignFile(path)).toString()).toBe('three')
  expect(readdirSync(dirname(path))).toEqual(['state.json', 'state.json.lock'])
  file.close()
  expect(readdirSync(dirname(path))).toEqual(['state.json'])
})

test('what fails half-way leaves the file as it was', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half')
    throw new Error('no more')
  }
  const file = await SavedFile.open(path)
  await expect(file.save(failing())).rejects.toThrow('no more')
  expect(readFileSync(path, 'utf8')).toBe('before')
  file.close()
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('a link stays one', async () => {
  const path = folder()
  writeFileSync(join(path, 'real.json'), 'before')
  symlinkSync('real.json', join(path, 'state.json'))
  const file = await SavedFile.open(join(path, 'state.json'))
  await file.save(bytes('after'))
  expect(readFileSync(join(path, 'real.json'), 'utf8')).toBe('after')
})

test('a link to a file that is not there yet stays one, also into another folder', async () => {
  const [path, elsewhere] = [folder(), folder()]
  const link = join(path, 'state.json')
  symlinkSync(join(elsewhere, 'real.json'), link)
  writeFileSync(join(elsewhere, 'real.json.tmp'), 'what a killed process left')
  const file = await SavedFile.open(link)
  await file.save(bytes('after'))
  file.close()
  expect(readdirSync(elsewhere)).toEqual(['real.json'])
  expect(readFileSync(link, 'utf8')).toBe('after')
})

test('a link into a folder that is not there is refused at the start', async () => {
  const path = folder()
  const link = join(path, 'state.json')
  symlinkSync(join(path, 'no', 'real.json'), link)
  await expect(SavedFile.open(link)).rejects.toThrow(
    `${link} cannot be saved: the folder ${join(path, 'no')} does not exist.`,
  )
})

test('says why a state cannot be saved there', async () => {
  const path = folder()
  const missing = join(path, 'no', 'state.json')
  await expect(SavedFile.open(missing)).rejects.toThrow(ChainFileError)
  await expect(SavedFile.open(missing)).rejects.toThrow(
    `${missing} cannot be saved: the folder ${join(path, 'no')} does not exist.`,
  )
  await expect(SavedFile.open(path)).rejects.toThrow(`${path} cannot be saved: it is a folder.`)
  writeFileSync(join(path, 'file'), '')
  const below = join(path, 'file', 'state.json')
  await expect(SavedFile.open(below)).rejects.toThrow(
    `${below} cannot be saved: ${join(path, 'file')} is a file, not a folder.`,
  )
  mkdirSync(dirname(missing))
  const file = await SavedFile.open(missing)
  rmSync(dirname(missing), { recursive: true })
  await expect(file.save(bytes(''))).rejects.toThrow(
    `${missing} cannot be saved: ENOENT: no such file or directory.`,
  )
  await expect(readForeignFile(path)).rejects.toThrow(`${path} cannot be read: it is a folder.`)
  await expect(readForeignFile(missing)).rejects.toThrow(
    `${missing} cannot be read: ENOENT: no such file or directory.`,
  )
  await SavedFile.open(join(path, 'state.json'))
})

// Nothing is forbidden to root.
test.skipIf(process.getuid?.() === 0)('without the permission', async () => {
  const path = join(folder(), 'closed')
  mkdirSync(path)
  const file = join(path, 'state.json')
  writeFileSync(file, '{}')
  chmodSync(file, 0o444)
  await expect(SavedFile.open(file)).rejects.toThrow(
    `${file} cannot be saved: EACCES: permission denied.`,
  )
  const open = await SavedFile.open(join(path, 'open.json'))
  chmodSync(path, 0o555)
  await expect(SavedFile.open(join(path, 'other.json'))).rejects.toThrow('permission denied.')
  await expect(open.save(bytes(''))).rejects.toThrow('permission denied.')
  chmodSync(path, 0o755)
})

test('a second process that saves to the same file is refused until the first one ends', async () => {
  const path = join(folder(), 'state.json')
  const { saver } = await StepwiseSaver.open(path)
  const refusal = `Process ${saver.pid} saves to ${path} until it ends: stop it, or name another file. If that is another program, delete ${path}.lock.`
  const link = join(folder(), 'link.json')
  symlinkSync(path, link)
  for (const name of [path, link]) {
    await expect(SavedFile.open(name)).rejects.toThrow(new OptionError(refusal))
  }
  await saver.kill()
  const file = await SavedFile.open(link)
  expect(await file.save(bytes('mine'))).toEqual(saved(4))
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('a second node of this process is refused until the first one has closed the file', async () => {
  const path = join(folder(), 'state.json')
  const file = await SavedFile.open(path)
  await expect(SavedFile.open(path)).rejects.toThrow(
    `Another node of this process saves to ${path} until it ends: stop it, or name another file.`,
  )
  file.close()
  await SavedFile.open(path)
})

test('a file that cannot be opened after it is locked is not locked any longer', async () => {
  const path = join(folder(), 'state.json')
  mkdirSync(`${path}.tmp`)
  await expect(SavedFile.open(path)).rejects.toThrow(`${path} cannot be saved: `)
  expect(readdirSync(dirname(path))).toEqual(['state.json.tmp'])
  rmSync(`${path}.tmp`, { recursive: true })
  const file = await SavedFile.open(path)
  file.close()
})

test('the lock of a killed process does not count, also if this one has its process id', async () => {
  const path = join(folder(), 'state.json')
  // In a container, each start may have the same process id.
  writeFileSync(`${path}.lock`, String(process.pid))
  utimesSync(`${path}.lock`, 1, 1)
  await SavedFile.open(path)
  expect(statSync(`${path}.lock`).mtimeMs).toBeGreaterThan(1000)
})

test('killed while it saves, again and again, the file is whole', async () => {
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
    expect([Object.keys(accounts).length, pending_node.format]).toEqual([525, 1])
  }
  const file = await SavedFile.open(path)
  await file.save(bytes('{}'))
  file.close()
  expect(readdirSync(dirname(path))).toEqual(['state.json'])
})

test('what another program has saved is set aside', async () => {
  const path = join(folder(), 'state.json')
  const foreign = `${path}.other`
  writeFileSync(path, 'before')
  const file = await SavedFile.open(path)
  expect(await file.save(bytes('one'))).toEqual(saved(3))
  for (const other of ['first', 'second']) {
    writeFileSync(path, other)
    expect(await file.save(bytes('two'))).toEqual({ size: 3, foreign })
    expect([foreign, path].map((name) => readFileSync(name, 'utf8'))).toEqual([other, 'two'])
  }
  utimesSync(path, 1, 1)
  expect(await file.save(bytes('three'))).toEqual({ size: 5, foreign })
  expect([foreign, path].map((name) => readFileSync(name, 'utf8'))).toEqual(['two', 'three'])
  expect(await file.save(bytes('four'))).toEqual(saved(4))
  file.close()
  expect(readdirSync(dirname(path)).sort()).toEqual(['state.json', 'state.json.other'])
})

for (const code of ['EACCES', 'EBUSY', 'EPERM']) {
  test(`a file that others have open for a moment is replaced all the same, ${code}`, async () => {
    const path = join(folder(), 'state.json')
    writeFileSync(path, 'before')
    const { saver } = await StepwiseSaver.open(path)
    let report = await saver.save('after')
    for (let left = 3; 'step' in report; ) {
      const isTried = report.step === 'rename' && report.paths[1] === path && left-- > 0
      report = await saver.answer(isTried ? code : '')
    }
    expect(report).toEqual({ saved: { size: 5 } })
    expect(readFileSync(path, 'utf8')).toBe('after')
  })
}

test('a save that cannot be put in place leaves the file as it was', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  const { saver } = await StepwiseSaver.open(path)
  let report = await saver.save('after')
  while ('step' in report) {
    const isPlacing = report.step === 'rename' && report.paths[1] === path
    report = await saver.answer(isPlacing ? 'EPERM' : '')
  }
  expect(report).toEqual({ failed: expect.stringContaining(`${path} cannot be saved: EPERM`) })
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(dirname(path))).toEqual(['state.json', 'state.json.lock'])
})

test('a file that appears while it is looked up is the one that is known', async () => {
  const path = join(folder(), 'state.json')
  const { saver, report: first } = await StepwiseSaver.open(path, 'stepwise')
  let report = first
  while ('step' in report) {
    if (report.step === 'readlink') writeFileSync(path, 'of another program')
    report = await saver.answer()
  }
  expect(report).toEqual({ opened: true })
  report = await saver.save('mine')
  while ('step' in report) report = await saver.answer()
  expect(report).toEqual({ saved: { size: 4 } })
  expect(readFileSync(path, 'utf8')).toBe('mine')
})
