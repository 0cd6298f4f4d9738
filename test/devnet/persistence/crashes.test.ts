import {
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
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

/** Number of the newest block of each save in a folder; all of them must be whole. */
function headsIn(path: string): number[] {
  return readdirSync(path)
    .filter((name) => /^(?:other-\d+-)?state\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')).best_block_number)
}

/** Number of the newest block with which a node starts that keeps its chain in the file. */
async function startedAt(path: string): Promise<number> {
  await using devnet = createDevnet({ port: 0, state: path, frozenTicks: true })
  await devnet.start()
  return Number(await devnet.provider.request({ method: 'eth_blockNumber' }))
}

const isPlacing = (report: Report, path: string) =>
  'step' in report && report.step === 'rename' && report.paths[1] === path

/** Operations that fail if the disk is full. */
const TAKES_SPACE = ['copyFile', 'link', 'open', 'sync', 'write']

/** What becomes of the file after the saver has read it. */
const TOUCHES = {
  none: () => undefined,
  touched: (path: string) => utimesSync(path, 1, 1),
  changed: (path: string) => writeFileSync(path, save(10)),
} as const

const TOUCHED = ['changed', 'touched', 'none'] as const
const FAULTS = ['kill', 'full', 'no links'] as const

/** Saves block 1 over block 0, with a fault from a step on. @returns that step, if there is one */
async function failAt(step: number, touch: keyof typeof TOUCHES, fault: (typeof FAULTS)[number]) {
  const path = join(folder(), 'state.json')
  writeFileSync(path, save(0))
  const saver = await StepwiseSaver.open(path)
  TOUCHES[touch](path)
  let report = await saver.save(save(1))
  let isPlaced = false
  let found: string | undefined
  for (let taken = 0; 'step' in report; taken++) {
    if (taken === step) found = report.step
    expect(existsSync(path)).toBe(true)
    if (found !== undefined && fault !== 'full') break
    const isFull = found !== undefined && TAKES_SPACE.includes(report.step)
    const places = isPlacing(report, path)
    const lacksLinks = fault === 'no links' && report.step === 'link'
    report = await saver.answer(isFull ? 'ENOSPC' : lacksLinks ? 'EPERM' : '')
    isPlaced ||= places
  }
  await saver.kill()
  const isWhole = readdirSync(dirname(path)).some((name) => name.endsWith('.whole'))
  const before = touch === 'changed' ? 10 : 0
  expect(await startedAt(path)).toBe(isPlaced ? 1 : before)
  if (isWhole) expect(headsIn(dirname(path))).toContain(1)
  expect(headsIn(dirname(path))).toContain(touch === 'none' && isPlaced ? 1 : before)
  return found
}

test('wherever a save is killed or the disk is full, the newest save loads', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
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

/** One of several savers, and what it has saved. */
interface Party {
  readonly saver: StepwiseSaver
  /** Blocks that it is still going to save; no other saver has them. */
  readonly heads: number[]
  report: Report | undefined
  /** Of its saves, the newest one that was in the file. */
  placed: number
}

/** Plays saves of one to three processes, step by step in a random order, with kills and errors. */
async function playSavers(seed: number): Promise<void> {
  const random = new Random(seed)
  const [place, elsewhere] = [folder(), folder()]
  const path = join(place, 'state.json')
  const target = random.once(4) ? join(elsewhere, 'state.json') : path
  if (target !== path) symlinkSync(target, path)
  const isThere = !random.once(4)
  if (isThere) writeFileSync(target, save(0))
  const hasLinks = !random.once(4)
  const parties: Party[] = []
  for (let index = 0; index <= random.below(3); index++) {
    const heads = [1, 2, 3].map((number) => 3 * index + number).slice(random.below(3))
    parties.push({ saver: await StepwiseSaver.open(path), heads, report: undefined, placed: 0 })
  }
  const isChanged = isThere && random.once(3)
  if (isChanged) TOUCHES.changed(target)
  for (let going = [...parties]; going.length > 0; ) {
    const party = random.pick(going)
    const { saver, report, heads } = party
    const isKilled = random.once(60)
    if (isKilled) await saver.kill()
    if (isKilled || (report !== undefined && !('step' in report) && heads.length === 1)) {
      going = going.filter((each) => each !== party)
      continue
    }
    if (report === undefined || !('step' in report)) {
      if (report !== undefined) heads.shift()
      party.report = await saver.save(save(heads[0] ?? 0))
      continue
    }
    const isFull = random.once(60) && TAKES_SPACE.includes(report.step)
    const code = isFull ? 'ENOSPC' : report.step === 'link' && !hasLinks ? 'EPERM' : ''
    const was = existsSync(target)
    party.report = await saver.answer(code)
    if (was) expect(existsSync(target)).toBe(true)
    if (code === '' && isPlacing(report, target)) party.placed = heads[0] ?? 0
  }
  for (const { saver } of parties) await saver.kill()
  const left = parties.map(({ placed }) => placed).filter((placed) => placed > 0)
  if (!existsSync(target) && !readdirSync(dirname(target)).some((name) => /whole$/.test(name))) {
    expect([left, isThere]).toEqual([[], false])
    return
  }
  await startedAt(path)
  const heads = headsIn(dirname(target))
  const isKept = (first: number) => heads.some((head) => first <= head && head <= ceiling(first))
  expect(left.filter((placed) => !isKept(placed))).toEqual([])
  if (isChanged) expect(heads).toContain(10)
  expect(readdirSync(dirname(target)).filter((name) => /\.(?:tmp|whole)$/.test(name))).toEqual([])
}

/** The last block of the saver whose save this is. */
const ceiling = (head: number) => 3 * Math.ceil(head / 3)

for (const seed of seeds(200, 20)) {
  test(`no chain is lost by one to three savers, seed ${seed}`, async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => void vi.restoreAllMocks())
    await playSavers(seed)
  })
}
