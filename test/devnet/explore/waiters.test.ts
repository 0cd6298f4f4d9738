import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import { type ExploreContext, explore } from '../../../plugin/explore.ts'
import { runs } from '../../support/longRuns.ts'
import { sleep } from './apps.ts'
import { type Answer, TILL, TILL_CODE, WAITERS, type Waiter } from './waiters.ts'

/** ms after which a waiter that has said nothing never does. */
const LONG = 40_000

/** ms after which the network brings no news. */
const AFTERWARDS = 15_000

/** What the documents call the ways in which an answer is wrong, in their order. */
const OUTCOMES = ['gone', 'moved', 'twice', 'missed', 'lost', 'stuck', 'waits', 'hangs', 'throws']
const RIGHT = 'right'

/** One fault, and two, for all to see in the documents. */
const DEPTH = runs(2)

async function outcomeOf(waiter: Waiter, run: ExploreContext): Promise<string> {
  const { provider } = run.devnet
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  await ask('hardhat_setCode', TILL, TILL_CODE)
  const answer: Answer | 'throws' | undefined = await Promise.race([
    waiter(run).catch(() => 'throws' as const),
    sleep(LONG).then(() => undefined),
  ])
  await sleep(AFTERWARDS)
  const filter = { address: TILL, fromBlock: 'earliest', toBlock: 'latest' }
  // The node's answers to these methods.
  const logs = (await ask('eth_getLogs', filter)) as { blockNumber: string }[]
  const pool = (await ask('txpool_status')) as { queued: string }
  if (answer === 'throws') return answer
  if (answer === undefined) return logs.length === 0 ? 'waits' : 'hangs'
  if ('sent' in answer) {
    if (Number(pool.queued) > 0) return 'stuck'
    return logs.length === answer.sent ? RIGHT : 'lost'
  }
  if ('logs' in answer) {
    const known = answer.logs()
    if (known === logs.length) return RIGHT
    if (known < logs.length) return 'missed'
    return logs.length === 0 ? 'gone' : 'twice'
  }
  const [log] = logs
  if (log === undefined) return 'gone'
  return Number(log.blockNumber) === answer.block ? RIGHT : 'moved'
}

/** The kinds of faults that lead to each outcome, in words, by their number: one, or two. */
async function findings(waiter: Waiter): Promise<Map<string, Set<string>>[]> {
  const found = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const options = { depth: DEPTH, maxRuns: 10_000, time: 300_000 }
  const summary = await explore(async (run) => {
    const outcome = await outcomeOf(waiter, run)
    const { faults } = await run.devnet.clock.status()
    const rules = faults?.rules ?? []
    if (rules.length === 0) expect(outcome).toBe(RIGHT)
    if (outcome === RIGHT || rules.some(({ fired }) => fired === 0)) return
    const level = found[rules.length - 1]
    const kinds = level?.get(outcome) ?? new Set()
    level?.set(outcome, kinds.add(rules.map(nameOf).join(' + ')))
  }, options)
  expect(summary.complete).toBe(true)
  return found
}

function nameOf(rule: FaultRule): string {
  return rule.kind === 'reorg' && rule.drops === true ? 'reorg with drops' : rule.kind
}

/** A cell of the table, of the outcomes that are not known yet. */
function cell(found: ReadonlyMap<string, ReadonlySet<string>>, known: ReadonlySet<string>): string {
  const parts = OUTCOMES.flatMap((outcome) => {
    const kinds = known.has(outcome) ? undefined : found.get(outcome)
    return kinds === undefined ? [] : `${outcome}: ${[...kinds].toSorted().join(', ')}`
  })
  return parts.join('; ') || 'nothing'
}

const page = readFileSync(new URL('../../../devnet/EXPLORE.md', import.meta.url), 'utf8')
const ROW = /^\| (viem|ethers) ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm
const rows = [...page.matchAll(ROW)].flatMap(([, library, names = '', one = '', two = '']) =>
  [...names.matchAll(/`[^`]+`/g)].map(([name]) => ({ name: `${library} ${name}`, one, two })),
)

test('the documents have a row for each waiter', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(WAITERS))
})

test.each(rows)('$name fails as the documents say', async ({ name, one, two }) => {
  const [singles = new Map(), pairs = new Map()] = await findings(WAITERS[name] ?? expect.fail())
  const found = { one: cell(singles, new Set()), two: cell(pairs, new Set(singles.keys())) }
  expect(found).toEqual({ one, two: DEPTH > 1 ? two : 'nothing' })
})
