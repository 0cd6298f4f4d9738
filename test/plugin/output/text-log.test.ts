import { expect, test } from 'vitest'
import type { ConsoleLogEvent, TickTransaction } from '../../../devnet/types.ts'
import type { NamedCall } from '../../../plugin/artifacts/contract-names.ts'
import { TextLog } from '../../../plugin/output/text-log.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const names = {
  contract: 'Token',
  function: 'transfer(address,uint256)',
  error: undefined,
  errorText: undefined,
}

/** A log, the calls whose names it asked for, and the transactions whose frames it asked for. */
function textLog(verbose = false) {
  const asked: NamedCall[] = []
  const explained: string[] = []
  const log = new TextLog({
    paint: (_, text) => text,
    accounts: new Map([[tickTransfer.from, 'Account #0']]),
    columns: () => undefined,
    verbose,
    findNames: async (call) => {
      asked.push(call)
      return call.data === '0x' ? undefined : names
    },
    findFrames: async ({ hash }) => {
      explained.push(hash)
      return [`Frame of ${hash.slice(-4)}`]
    },
  })
  return { log, asked, explained }
}

const hashOf = (index: number) => repeated(index.toString(16).padStart(4, '0'), 16)

function printing(transaction: TickTransaction): ConsoleLogEvent {
  const { hash, to, data } = transaction
  return {
    transaction: hash,
    method: null,
    to,
    data,
    messages: [`I am ${hash.slice(-4)}`],
    omitted: 0,
  }
}

test('default: a tick shows its first three transactions', async () => {
  const { log, asked } = textLog()
  const transactions = Array.from({ length: 30 }, (_, index) => ({
    ...tickTransfer,
    hash: hashOf(index),
  }))
  const { lines, key } = await log.tick({ block: 1, tick: 0, transactions, elapsed: 1 }, new Map())
  expect(key).toBeUndefined()
  expect(lines.filter((line) => line.startsWith('    0x'))).toHaveLength(3)
  expect(lines.at(-1)).toBe('  … and 27 more: 27 succeeded, 0 reverted')
  expect(asked).toHaveLength(3)
})

test('those that print are shown wherever they are, and twenty that fail', async () => {
  const { log } = textLog()
  const transactions = Array.from({ length: 300 }, (_, index) => ({
    ...(index >= 200 && index < 230 ? tickReverted : tickTransfer),
    hash: hashOf(index),
  }))
  const printed = new Map(
    [20, 299].map((index) => {
      const transaction = { ...tickTransfer, hash: hashOf(index) }
      return [transaction.hash, printing(transaction)] as const
    }),
  )
  const { lines } = await log.tick({ block: 1, tick: 0, transactions, elapsed: 1 }, printed)
  const shown = lines.flatMap((line) => /^ {4}(0x\w+)/.exec(line)?.[1] ?? [])
  const failed = Array.from({ length: 20 }, (_, index) => 200 + index)
  expect(shown).toEqual([0, 1, 2, 20, ...failed, 299].map(hashOf))
  expect(lines.filter((line) => line.includes('I am'))).toEqual([
    '      I am 0014',
    '      I am 012b',
  ])
  expect(lines.at(-1)).toBe('  … and 275 more: 265 succeeded, 10 reverted')
})

test('console.log of a call, and of a transaction whose tick is not shown', async () => {
  const { log } = textLog()
  const call = { ...printing(tickReverted), transaction: null, method: 'eth_call' }
  expect((await log.consoleLog(call)).lines).toEqual([
    'console.log   eth_call Token.transfer',
    '  I am bbbb',
  ])
  expect((await log.consoleLog(printing(tickTransfer))).lines).toEqual([
    `console.log   ${tickTransfer.hash}`,
    '  I am aaaa',
  ])
})

test('requests are folded by what they are, not by the time they took', async () => {
  const { log, asked } = textLog(true)
  const request = { method: 'eth_getBalance', params: ['0x12'], error: null }
  const first = await log.request({ ...request, elapsed: 1.26 })
  const second = await log.request({ ...request, elapsed: 7 })
  const other = await log.request({ ...request, params: ['0x13'], elapsed: 7 })
  expect(first.lines).toEqual(['called        eth_getBalance  ["0x12"]  1.3 ms'])
  expect(second.key).toBe(first.key)
  expect(other.key).not.toBe(first.key)
  expect(asked).toEqual([])
})

test('without verbose, a failed request has no parameters, but the names of its call', async () => {
  const { log } = textLog()
  const { lines } = await log.request({
    method: 'eth_estimateGas',
    params: [{ to: tickReverted.to, data: tickReverted.data }],
    elapsed: 2,
    error: { code: 3, message: 'execution reverted: no', data: '0x' },
  })
  expect(lines).toEqual([
    'failed        eth_estimateGas Token.transfer  execution reverted: no  2.0 ms',
  ])
})

test('ten failures of a tick are explained, but for those that print', async () => {
  const { log, explained } = textLog()
  const transactions = [
    tickTransfer,
    ...Array.from({ length: 12 }, (_, index) => ({ ...tickReverted, hash: hashOf(index) })),
  ]
  const [, first] = transactions
  if (first === undefined) throw new Error('No transaction')
  const printed = new Map([[first.hash, printing(first)]])
  const { lines } = await log.tick({ block: 1, tick: 0, transactions, elapsed: 1 }, printed)
  expect(explained).toEqual(Array.from({ length: 10 }, (_, index) => hashOf(index + 1)))
  expect(lines.filter((line) => line.includes('at Frame of'))).toHaveLength(10)
})

const seal = {
  hash: repeated('c', 64),
  timestamp: 1,
  transactions: 0,
  gasUsed: 0,
  baseFeePerGas: 1n,
  elapsed: 1,
}

test('empty blocks in a row are folded, and those after a gap in the numbers anew', () => {
  const { log } = textLog()
  const [first, second] = [25, 26].map((number) => log.seal({ ...seal, number }))
  const later = log.seal({ ...seal, number: 40 })
  expect(first?.lines[0]).toMatch(/^sealed {8}#25 0xcccccc…/)
  expect(second?.key).toBe(first?.key)
  expect(second?.folded?.(2)).toBe('sealed        #25 to #26: 2 empty blocks')
  expect(second?.folded?.(1)).toBe('sealed        #26: 1 empty block')
  expect(later.key).not.toBe(second?.key)
  expect(log.seal({ ...seal, number: 41, transactions: 1 }).key).toBeUndefined()
})

test('regular lines fit into 80 columns, with a time before the first', async () => {
  const { log } = textLog()
  const plain = { ...tickTransfer, hash: repeated('a', 64), gasUsed: 30_000_000 }
  const elapsed = 12.3
  const block = 1_234_567
  const tick = (...transactions: TickTransaction[]) =>
    log.tick({ block, tick: 9, transactions, elapsed }, new Map())
  const entries = [
    await tick(plain, tickReverted),
    await tick(plain),
    log.seal({ ...seal, number: block, transactions: 999, gasUsed: 3e7, elapsed }),
  ]
  const lines = entries.flatMap(({ lines: [first = '', ...rest] }) => [
    `12:34:56.789 ${first}`,
    ...rest,
  ])
  expect(lines.filter(({ length }) => length > 80)).toEqual([])
})

test('a hint is one line', () => {
  const { log } = textLog()
  expect(log.plain('hint', { text: 'Read pending.' })).toEqual({
    lines: ['hint          Read pending.'],
  })
})

test('default: a request that waits in the wallet has the address of the page', () => {
  const { log } = textLog()
  const page = 'http://127.0.0.1:8545/wallet/'
  const line = ({ waiting }: { readonly waiting: number }) =>
    log.plain('walletRequest', { waiting, page }).lines[0]
  expect(line({ waiting: 1 })).toBe(`wallet        1 request waits at ${page}`)
  expect(line({ waiting: 2 })).toBe(`wallet        2 requests wait at ${page}`)
})
