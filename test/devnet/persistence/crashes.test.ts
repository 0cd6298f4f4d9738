import {
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { createTestChain } from '../../support/chain.ts'
import { runs, seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { dumpOf } from './dump/support.ts'
import { type Report, StepwiseSaver } from './stepwise.ts'
import { folder } from './support.ts'

/** The saves of a chain: one after each block. */
const saves = await (async () => {
  const node = await createTestChain()
  const texts: string[] = []
  for (let head = 0; head <= 10; head++) {
    texts.push(await dumpOf(node))
    await node.clocks.advanceBlocks(1)
  }
  return texts
})()

const save = (head: number) => saves[head] ?? ''

/** Number of the newest block of a file, which must be whole. */
const headOf = (path: string): number => JSON.parse(readFileSync(path, 'utf8')).best_block_number

/** Number of the newest block with which a node starts that keeps its chain in the file. */
async function startedAt(path: string): Promise<number> {
  await using devnet = createDevnet({ port: 0, state: path, frozenTicks: true })
  await devnet.start()
  return Number(await devnet.provider.request({ method: 'eth_blockNumber' }))
}

const isPlacing = (report: Report, path: string) =>
  'step' in report && report.step === 'rename' && report.paths[1] === path

/** Operations that fail if the disk is full. */
const TAKES_SPACE = ['copyFile', 'open', 'sync', 'write']

/** What becomes of the file after the saver has read it. */
const TOUCHES = {
  none: () => undefined,
  touched: (path: string) => utimesSync(path, 1, 1),
  changed: (path: string) => writeFileSync(path, save(10)),
} as const

const TOUCHED = ['changed', 'touched', 'none'] as const
const FAULTS = ['kill', 'full'] as const

/** Saves block 1 over block 0, with a fault from a step on. @returns that step, if there is one */
async function failAt(step: number, touch: keyof typeof TOUCHES, fault: (typeof FAULTS)[number]) {
  const path = join(folder(), 'state.json')
  writeFileSync(path, save(0))
  const { saver } = await StepwiseSaver.open(path)
  TOUCHES[touch](path)
  let report = await saver.save(save(1))
  let isPlaced = false
  let found: string | undefined
  for (let taken = 0; 'step' in report; taken++) {
    if (taken === step) found = report.step
    expect(existsSync(path)).toBe(true)
    if (found !== undefined && fault === 'kill') break
    const isFull = found !== undefined && TAKES_SPACE.includes(report.step)
    const places = isPlacing(report, path)
    report = await saver.answer(isFull ? 'ENOSPC' : '')
    isPlaced ||= places
  }
  await saver.kill()
  const before = touch === 'changed' ? 10 : 0
  expect(headOf(path)).toBe(isPlaced ? 1 : before)
  if (isPlaced && touch !== 'none') expect(headOf(`${path}.other`)).toBe(before)
  expect(await startedAt(path)).toBe(isPlaced ? 1 : before)
  return found
}

test('wherever a save is killed or the disk is full, the newest save loads', async () => {
  const all = TOUCHED.flatMap((touch) => FAULTS.map((fault) => ({ touch, fault })))
  // All steps with all combinations in the long run; else some with one each.
  const share = runs(all.length, all.length)
  const stride = share === all.length ? 1 : 3
  for (let step = 0, beyond = 0; beyond < share + 1; step += stride) {
    const from = (step / stride) % all.length
    for (const { touch, fault } of [...all, ...all].slice(from, from + share)) {
      beyond = (await failAt(step, touch, fault)) === undefined ? beyond + 1 : 0
    }
  }
}, 300_000)

/** Plays saves of one process after the other, with kills, errors and changes at random steps. */
async function playSavers(seed: number): Promise<void> {
  const random = new Random(seed)
  const [place, elsewhere] = [folder(), folder()]
  const path = join(place, 'state.json')
  const target = random.once(4) ? join(elsewhere, 'state.json') : path
  if (target !== path) symlinkSync(target, path)
  let head = random.once(4) ? undefined : 0
  if (head === 0) writeFileSync(target, save(0))
  /** What another program has saved, and no save has set aside yet. */
  let changed: number | undefined
  for (const first of [1, 4, 7]) {
    const { saver } = await StepwiseSaver.open(path)
    changed = undefined
    let isKilled = false
    for (let next = first; next < first + 3 && !isKilled; next++) {
      if (random.once(4)) {
        TOUCHES.changed(target)
        head = changed = 10
      }
      let report = await saver.save(save(next))
      while ('step' in report && !isKilled) {
        const places = isPlacing(report, target)
        isKilled = random.once(30)
        if (isKilled) break
        const isFull = random.once(30) && TAKES_SPACE.includes(report.step)
        report = await saver.answer(isFull ? 'ENOSPC' : '')
        if (places) head = next
        expect(existsSync(target) ? headOf(target) : undefined).toBe(head)
        if (places && changed !== undefined) expect(headOf(`${target}.other`)).toBe(changed)
        if (places) changed = undefined
      }
    }
    await saver.kill()
    expect(existsSync(target) ? headOf(target) : undefined).toBe(head)
  }
  expect(await startedAt(path)).toBe(head ?? 0)
  const left = readdirSync(dirname(target)).filter((name) => name !== 'state.json.other')
  expect(left).toEqual(['state.json'])
}

for (const seed of seeds(200, 20)) {
  test(`no chain is lost by processes that save one after the other, seed ${seed}`, () =>
    playSavers(seed))
}
