import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'

/*
 * The rows of "My suite fails on `pending`" in plugin/TROUBLESHOOTING.md that a request shows: a
 * run that fails after one of them says so.
 */

const A = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CALL = { to: A, data: '0x' }
const SLOW = { port: 0, noWallet: true, noDashboard: true, tickInterval: 3_600_000, frozen: true }

/** Block 1 is sealed, and block 2 is pending. */
let devnet: Devnet
beforeAll(async () => {
  devnet = createDevnet({ ...SLOW, readOwnWrites: true })
  await devnet.start()
  await devnet.clock.seal()
  const [from] = devnet.accounts
  await send(from?.address)
})
afterAll(() => devnet.stop())

async function send(from: string | undefined) {
  const params = [{ from, to: A, value: '0x5' }]
  const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
  await devnet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
}

// What is noted is of the process, and said at its end.
const KEY = Symbol.for('hardhat-pending-node.latestReads')
beforeEach(() => {
  Reflect.deleteProperty(globalThis, KEY)
  vi.resetModules()
  vi.spyOn(process, 'once').mockReturnThis()
})
afterEach(() => vi.restoreAllMocks())

/** The lines that a failing run prints after the request. */
async function said(
  method: string,
  params: unknown[] | undefined,
  { clock, options }: Pick<Devnet, 'clock' | 'options'> = devnet,
): Promise<string[]> {
  const { noteLatestRead, sayAfterFailure } = await import(
    '../../../plugin/network/latest-reads.ts'
  )
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => lines.push(String(line)))
  for (let time = 0; time < 2; time++) {
    await noteLatestRead({ method, params }, { clock, options })
    sayAfterFailure()
  }
  return lines
}

test.each<[row: string, method: string, params: unknown[] | undefined]>([
  ['a balance before the pending block, as matchers ask', 'eth_getBalance', [A, '0x1']],
  ['a balance of a token there', 'eth_call', [CALL, '0x1']],
  ['the block of a receipt', 'eth_getBlockByNumber', ['0x2', false]],
  ['latest: a balance', 'eth_getBalance', [A, 'latest']],
  ['latest: a call', 'eth_call', [CALL, 'latest']],
  ['latest: events', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
  ['latest: the block', 'eth_getBlockByNumber', ['latest', false]],
  ['the number of blocks', 'eth_blockNumber', []],
  ['the number of blocks, without parameters', 'eth_blockNumber', undefined],
])('%s', async (_, method, params) => {
  expect(await said(method, params)).toEqual([
    expect.stringMatching(
      new RegExp(`^hardhat-pending-node: a test read \`latest\`.* The request was ${method}\\.$`),
    ),
  ])
})

test.each<[what: string, method: string, params: unknown[] | undefined]>([
  ['the pending block', 'eth_getBlockByNumber', ['pending', false]],
  ['an older block', 'eth_getBlockByNumber', ['0x0', false]],
  ['the newest sealed block by its number', 'eth_getBlockByNumber', ['0x1', false]],
  ['a balance at the block of a receipt', 'eth_getBalance', [A, '0x2']],
  ['a balance on pending', 'eth_getBalance', [A, 'pending']],
  ['a call on pending', 'eth_call', [CALL, 'pending']],
  ['logs up to pending', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'pending' }]],
  ['logs of the pending block', 'eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x2' }]],
])('not: %s', async (_, method, params) => {
  expect(await said(method, params)).toEqual([])
})

test('not while the pending block is empty', async () => {
  const { pending, ...status } = await devnet.clock.status()
  const empty = async () => ({ ...status, pending: { ...pending, transactions: [] } })
  const { options } = devnet
  const clock = { ...devnet.clock, status: empty }
  expect(await said('eth_blockNumber', [], { clock, options })).toEqual([])
})

test.each<[string, Partial<Devnet['options']>, string, unknown[], number]>([
  ['instant: nothing lags', { instant: true }, 'eth_blockNumber', [], 0],
  ['latest ticks: states do not', { latest: 'ticks' }, 'eth_getBalance', [A, 'latest'], 0],
  ['latest ticks: blocks do', { latest: 'ticks' }, 'eth_getBlockByNumber', ['latest', false], 1],
])('%s', async (_, changed, method, params, lines) => {
  const options = { ...devnet.options, ...changed }
  expect(await said(method, params, { clock: devnet.clock, options })).toHaveLength(lines)
})
