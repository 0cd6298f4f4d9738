import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkNoneAside, type Save, SavedFile } from '../../../devnet/persistence/savedFile.ts'
import { ChainFileError } from '../../../devnet/primitives/errors.ts'
import { readForeignFile } from '../../../devnet/primitives/foreign.ts'
import { runs } from '../../support/longRuns.ts'
import { StepwiseSaver } from './stepwise.ts'
import { bytes, folder } from './support.ts'

/** A process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

/** A save that met no other program. */
const saved = (size: number): Save => ({ size, foreign: undefined, own: undefined })

test('default', async () => {
  const path = join(folder(), 'state.json')
  const { file } = await SavedFile.open(path)
  expect(await file.save(bytes('one ', 'two'))).toEqual(saved(7))
  expect(readFileSync(path, 'utf8')).toBe('one two')
  expect(await file.save(bytes('three'))).toEqual(saved(5))
  expect(Buffer.from(await readForeignFile(path)).toString()).toBe('three')
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('what fails half-way leaves the file as it was', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half')
    throw new Error('no more')
  }
  const { file } = await SavedFile.open(path)
  await expect(file.save(failing())).rejects.toThrow('no more')
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
})

test('a link stays one', async () => {
  const path = folder()
  writeFileSync(join(path, 'real.json'), 'before')
  symlinkSync('real.json', join(path, 'state.json'))
  const { file } = await SavedFile.open(join(path, 'state.json'))
  await file.save(bytes('after'))
  expect(readFileSync(join(path, 'real.json'), 'utf8')).toBe('after')
})

test('a link to a file that is not there yet stays one, also into another folder', async () => {
  const [path, elsewhere] = [folder(), folder()]
  const link = join(path, 'state.json')
  symlinkSync(join(elsewhere, 'real.json'), link)
  const dead = join(elsewhere, `real.json.${await endedProcess()}.tmp`)
  writeFileSync(dead, '')
  const { file } = await SavedFile.open(link)
  await file.save(bytes('after'))
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
  await expect(new SavedFile(missing).save(bytes(''))).rejects.toThrow(
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
  chmodSync(path, 0o555)
  await expect(SavedFile.open(join(path, 'other.json'))).rejects.toThrow('permission denied.')
  await expect(new SavedFile(join(path, 'other.json')).save(bytes(''))).rejects.toThrow(
    'permission denied.',
  )
  chmodSync(path, 0o755)
})

test('removes what a killed process left, and nothing else', async () => {
  const path = folder()
  const dead = `state.json.${await endedProcess()}.tmp`
  const kept = [`state.json.${process.pid}.tmp`, 'state.json.bak', 'other.json.1.tmp']
  for (const name of [dead, ...kept]) writeFileSync(join(path, name), '')
  await SavedFile.open(join(path, 'state.json'))
  expect(readdirSync(path).sort()).toEqual([...kept].sort())
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
  await SavedFile.open(path)
  for (const name of readdirSync(dirname(path))) {
    // Killed before it had replaced the file, a whole save is set aside.
    expect(name).toMatch(/^(?:other-\d+-)?state\.json$/)
    const { accounts } = JSON.parse(readFileSync(join(path, '..', name), 'utf8'))
    expect(Object.keys(accounts).length).toBe(525)
  }
})

test('what others have saved is set aside, each under its own number', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  const { file } = await SavedFile.open(path)
  expect(await file.save(bytes('one'))).toEqual(saved(3))
  const asides: (string | undefined)[] = []
  for (const other of ['first', 'second']) {
    writeFileSync(path, other)
    asides.push((await file.save(bytes('two'))).foreign)
  }
  utimesSync(path, 1, 1)
  asides.push((await file.save(bytes('three'))).foreign)
  expect(asides).toEqual([1, 2, 3].map((number) => join(path, '..', `other-${number}-state.json`)))
  const texts = asides.map((aside = '') => readFileSync(aside, 'utf8'))
  expect([...texts, readFileSync(path, 'utf8')]).toEqual(['first', 'second', 'two', 'three'])
})

test('two that save in turns leave the newest of each, and no more', async () => {
  const path = join(folder(), 'state.json')
  const files = [new SavedFile(path), new SavedFile(path)]
  for (let turn = 0; turn < 6; turn++) await files[turn % 2]?.save(bytes(`turn ${turn}`))
  const texts = readdirSync(dirname(path)).map((name) =>
    readFileSync(join(dirname(path), name), 'utf8'),
  )
  expect(texts.sort()).toEqual(['turn 4', 'turn 5'])
})

test('two that save at once lose neither', async () => {
  for (let round = 0; round < runs(100); round++) {
    const path = join(folder(), 'state.json')
    const files = ['a', 'b', 'c'].map((text) => ({ text, file: new SavedFile(path) }))
    await Promise.all(files.map(({ text, file }) => file.save(bytes(text))))
    const names = readdirSync(dirname(path))
    const texts = names.map((name) => readFileSync(join(dirname(path), name), 'utf8'))
    expect([...new Set(texts)].sort()).toEqual(['a', 'b', 'c'])
    expect(names.filter((name) => !name.endsWith('state.json'))).toEqual([])
  }
})

test('a new chain does not begin beside what was set aside, unless that is moved away', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(join(path, '..', 'other-state.json'), 'the file of another node')
  await checkNoneAside(path)
  const aside = join(path, '..', 'other-12-state.json')
  writeFileSync(aside, '')
  await expect(checkNoneAside(path)).rejects.toThrow(
    new ChainFileError(
      `${path} does not exist, but what was set aside for it does: ${aside}. Rename the one to continue with to state.json, or move all of them away to begin anew.`,
    ),
  )
})

test('a whole save of a killed process is put in place, or set aside', async () => {
  const path = join(folder(), 'state.json')
  const pid = await endedProcess()
  // In a container, each start may have the same process id.
  for (const id of [`${pid}.00`, `${process.pid}.00`]) {
    writeFileSync(`${path}.${id}.whole`, id)
    const { found } = await SavedFile.open(path)
    expect(found).toEqual(id === `${pid}.00` ? [] : [join(path, '..', 'other-1-state.json')])
  }
  expect(readFileSync(path, 'utf8')).toBe(`${pid}.00`)
  expect(readdirSync(join(path, '..')).sort()).toEqual(['other-1-state.json', 'state.json'])
})

for (const code of ['EACCES', 'EBUSY', 'EPERM']) {
  test(`a file that others have open for a moment is replaced all the same, ${code}`, async () => {
    const path = join(folder(), 'state.json')
    writeFileSync(path, 'before')
    const saver = await StepwiseSaver.open(path)
    let report = await saver.save('after')
    for (let left = 3; 'step' in report; ) {
      const isTried = report.step === 'rename' && report.paths[1] === path && left-- > 0
      report = await saver.answer(isTried ? code : '')
    }
    expect(report).toEqual({ saved: { size: 5 } })
    expect(readFileSync(path, 'utf8')).toBe('after')
  })
}

test('a save that cannot be put in place is found by the next start', async () => {
  const path = join(folder(), 'state.json')
  writeFileSync(path, 'before')
  const saver = await StepwiseSaver.open(path)
  let report = await saver.save('after')
  while ('step' in report) {
    const isPlacing = report.step === 'rename' && report.paths[1] === path
    report = await saver.answer(isPlacing ? 'EPERM' : '')
  }
  expect(report).toEqual({ failed: expect.stringContaining(`${path} cannot be saved: EPERM`) })
  await saver.kill()
  const { found } = await SavedFile.open(path)
  expect(found.map((aside) => readFileSync(aside, 'utf8'))).toEqual(['after'])
  expect(readFileSync(path, 'utf8')).toBe('before')
})

test('a file that appears while it is looked up is set aside', async () => {
  const path = join(folder(), 'state.json')
  const saver = await StepwiseSaver.open(path)
  let report = await saver.save('mine')
  while ('step' in report) {
    if (report.step === 'readlink') writeFileSync(path, 'of another node')
    report = await saver.answer()
  }
  const foreign = join(path, '..', 'other-1-state.json')
  expect(report).toEqual({ saved: { size: 4, foreign } })
  expect([foreign, path].map((name) => readFileSync(name, 'utf8'))).toEqual([
    'of another node',
    'mine',
  ])
})
