import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'

const PROGRAM = '0x0000000000000000000000000000000000c0de01'

let devnet: Devnet

/** The caller knows the form of the answer. */
async function call<Answer>(method: string, ...params: unknown[]): Promise<Answer> {
  return (await devnet.provider.request({ method, params })) as Answer
}

beforeAll(async () => {
  devnet = createDevnet({ port: 0, hardfork: 'amsterdam', frozenTicks: true })
  await devnet.start()
})
afterAll(() => devnet.stop())

interface Step {
  readonly op: string
  readonly gas: number
  readonly gasCost: number
}

/** Sends a transaction to code and traces it. */
async function traced(code: string, tracer?: string) {
  const [from] = await call<string[]>('eth_accounts')
  await call('hardhat_setCode', PROGRAM, code)
  await call('hardhat_setBalance', PROGRAM, '0x10')
  const hash = await call<string>('eth_sendTransaction', { from, to: PROGRAM, gas: '0xf4240' })
  await call('preconf_advance', { blocks: 1 })
  const receipt = await call<{ gasUsed: string }>('eth_getTransactionReceipt', hash)
  const trace = await call<{ gas: number; gasUsed: string; structLogs: Step[] }>(
    'debug_traceTransaction',
    hash,
    tracer === undefined ? {} : { tracer },
  )
  return { receipt, trace }
}

const SLOT = 64 * 1530
const ACCOUNT = 120 * 1530

test.each([
  ['SSTORE', '0x6001600055005b', 12_100, SLOT],
  ['CREATE', '0x5f5f5ff000', 12_000, ACCOUNT],
  ['CREATE2', '0x5f5f5f5ff500', 12_000, ACCOUNT],
])(
  '%s has the cost of its execution, and its state is taken besides',
  async (op, code, cost, state) => {
    const { trace, receipt } = await traced(code)
    const at = trace.structLogs.findIndex((step) => step.op === op)
    const [step, next] = trace.structLogs.slice(at)
    expect(step?.gasCost).toBe(cost)
    expect(next?.gas).toBe((step?.gas ?? 0) - cost - state)
    expect(trace.gas).toBe(Number(receipt.gasUsed))
  },
)

test('a call that makes an account shows its execution gas, and the call tracer what was paid', async () => {
  // CALL(0, 0x…abcde1, 1, …): the stipend comes back.
  const code = '0x5f5f5f5f600162abcde15ff100'
  const { trace } = await traced(code)
  const step = trace.structLogs.find(({ op }) => op === 'CALL')
  const stop = trace.structLogs.at(-1)
  expect(step?.gasCost).toBe(3_000 + 11_300)
  expect(stop?.gas).toBe((step?.gas ?? 0) - 3_000 - 11_300 - ACCOUNT + 2_300)
  const { trace: frames, receipt } = await traced(code, 'callTracer')
  expect(frames.gasUsed).toBe(receipt.gasUsed)
})

test('the flat tracer of a call that makes an account agrees with the receipt', async () => {
  const code = '0x5f5f5f5f600162abcde25ff100'
  const { trace, receipt } = await traced(code, 'flatCallTracer')
  expect(trace).toMatchObject([
    { type: 'call', result: { gasUsed: receipt.gasUsed }, subtraces: 1, traceAddress: [] },
    { type: 'call', action: { value: '0x1' }, result: { gasUsed: '0x0' }, traceAddress: [0] },
  ])
})

test('a simulation that traces transfers has its log in front of that of EIP-7708, as in geth', async () => {
  const [from, to] = await call<string[]>('eth_accounts')
  const blockStateCalls = [{ calls: [{ from, to, value: '0x5' }] }]
  const [block] = await call<{ calls: { logs: { address: string; logIndex: string }[] }[] }[]>(
    'eth_simulateV1',
    { blockStateCalls, traceTransfers: true },
    'latest',
  )
  expect(block?.calls[0]?.logs).toMatchObject([
    { address: `0x${'ee'.repeat(20)}`, logIndex: '0x0' },
    { address: `0x${'ff'.repeat(19)}fe`, logIndex: '0x1' },
  ])
})
