import { expect, onTestFinished, test, vi } from 'vitest'
import { Faults } from '../../../devnet/faults/faults.ts'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import { JsonText } from '../../../devnet/primitives/jsonText.ts'
import type { Status } from '../../../devnet/types.ts'
import { createRpcChain } from '../rpc/methods/rpcChain.ts'
import { fired } from './faultyNode.ts'

const NEVER = new AbortController().signal

async function nodeUnder(...rules: readonly FaultRule[]) {
  const node = await createRpcChain()
  await node.call('preconf_faults', { rules })
  return node
}

async function faultOf(rule: FaultRule): Promise<Faults> {
  const { chain } = await createRpcChain()
  const ignore = () => undefined
  return new Faults({ rules: [rule] }, { chain, report: ignore, cutSockets: ignore })
}

test('default: refuseAnswer', async () => {
  const { call, failure, account } = await nodeUnder({
    kind: 'refuseAnswer',
    method: ['eth_sendTransaction', 'eth_chainId'],
    next: 2,
  })
  const request = { from: account(0).address, to: account(1).address }
  expect(await failure('eth_sendTransaction', request)).toEqual({
    code: -32000,
    message: 'eth_sendTransaction refused by fault 0',
  })
  expect(await failure('eth_chainId')).toMatchObject({ code: -32000 })
  const { mempool, faults } = await call<Status>('preconf_status')
  // Refused before it did anything.
  expect(mempool.runnable).toBe(0)
  expect(faults?.rules).toMatchObject([{ fired: 2 }])
  expect(await call('eth_chainId')).toBe('0x7a69')
})

test('options: code and message', async () => {
  const { failure } = await nodeUnder({
    kind: 'refuseAnswer',
    method: 'eth_call',
    code: 429,
    message: 'rate limit exceeded',
  })
  expect(await failure('eth_call', {})).toEqual({ code: 429, message: 'rate limit exceeded' })
})

test('default: delayAnswer answers what was true when the request came', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { call } = await nodeUnder({ kind: 'delayAnswer', method: 'eth_blockNumber', ms: 50 })
    const answer = call('eth_blockNumber')
    await call('preconf_seal')
    expect(await answer).toBe('0x0')
  } finally {
    vi.useRealTimers()
  }
})

test('a delayed answer ends when the client hangs up', async () => {
  const { callAs } = await nodeUnder({ kind: 'delayAnswer', method: 'eth_chainId', ms: 60_000 })
  const client = new AbortController()
  const answer = callAs({ signal: client.signal }, 'eth_chainId')
  client.abort()
  await expect(answer).rejects.toThrow('the request was given up')
})

test('default: corruptAnswer changes one hex digit, the same one for the same seed', async () => {
  const wrong = async () => {
    const { call, account } = await nodeUnder({ kind: 'corruptAnswer', method: 'eth_getBalance' })
    return call<string>('eth_getBalance', account(0).address)
  }
  const [first, second] = [await wrong(), await wrong()]
  const right = '0x21e19e0c9bab2400000'
  expect(first).toBe(second)
  expect([...first].filter((digit, index) => digit !== right[index])).toHaveLength(1)
})

test('corruptAnswer answers null if there is no hex digit', async () => {
  const { call } = await nodeUnder({ kind: 'corruptAnswer', method: 'eth_syncing' })
  expect(await call('eth_syncing')).toBeNull()
})

test('options: result; the request does what it does', async () => {
  const { call, account } = await nodeUnder({
    kind: 'corruptAnswer',
    method: 'eth_sendTransaction',
    result: null,
  })
  const request = { from: account(0).address, to: account(1).address }
  expect(await call('eth_sendTransaction', request)).toBeNull()
  expect((await call<Status>('preconf_status')).mempool.runnable).toBe(1)
})

test('answers by sender, address, hash, block and tick', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const [own, other] = [account(0).address, account(1).address]
  const hash = `0x${'ab'.repeat(32)}` as const
  const method = ['eth_call', 'eth_getBalance', 'eth_getTransactionReceipt']
  const answers = () =>
    Promise.all([
      call('eth_call', { from: own, to: other }),
      call('eth_call', { from: other, to: own }),
      call('eth_getBalance', other),
      call('eth_getTransactionReceipt', hash),
    ])
  const spoiled = async (limits: Partial<FaultRule>) => {
    await call('preconf_faults', {
      rules: [{ kind: 'corruptAnswer', method, result: 'wrong', ...limits }],
    })
    return (await answers()).flatMap((answer, index) => (answer === 'wrong' ? [index] : []))
  }
  expect(await spoiled({ from: own })).toEqual([0])
  expect(await spoiled({ address: other })).toEqual([0, 1, 2])
  expect(await spoiled({ hash })).toEqual([3])
  expect(await spoiled({ block: 1, tick: 0 })).toEqual([0, 1, 2, 3])
  expect(await spoiled({ block: 2 })).toEqual([])
  expect(await spoiled({ tick: 1 })).toEqual([])
})

test('other methods, and those of the clocks, are left alone', async () => {
  const { call, failure } = await nodeUnder({ kind: 'refuseAnswer', method: 'eth_chainId' })
  expect(await call('eth_blockNumber')).toBe('0x0')
  expect(
    await failure('preconf_faults', { rules: [{ kind: 'refuseAnswer', method: 'preconf_seal' }] }),
  ).toEqual({
    code: -32602,
    message: 'invalid argument 0: rules[0].method: methods of the clocks cannot fail',
  })
  await call('preconf_faults', { rules: [] })
  expect(await call('eth_chainId')).toBe('0x7a69')
})

test('only what acts fires', async () => {
  const { call, failure, account } = await nodeUnder(
    { kind: 'corruptAnswer', method: 'eth_call', result: 'wrong' },
    { kind: 'corruptAnswer', method: 'eth_call', result: 'also wrong' },
    { kind: 'refuseAnswer', method: 'eth_call', next: 1 },
    { kind: 'refuseAnswer', method: 'eth_call', next: 1 },
  )
  const counts = async () => fired(await call<Status>('preconf_status'))
  const request = { from: account(0).address, to: account(1).address }
  expect(await failure('eth_call', request)).toMatchObject({
    message: expect.stringContaining('by fault 2'),
  })
  expect(await counts()).toEqual([0, 0, 1, 0])
  await failure('eth_call', request)
  expect(await call('eth_call', request)).toBe('wrong')
  expect(await counts()).toEqual([1, 0, 1, 1])
  // There is no result to corrupt.
  expect(await failure('eth_call', { to: 'nobody' })).toMatchObject({ code: -32602 })
  expect(await counts()).toEqual([1, 0, 1, 1])
})

test('delays add up, for errors and refusals too', async () => {
  const { call, failure } = await nodeUnder(
    { kind: 'delayAnswer', method: 'eth_chainId', ms: 60 },
    { kind: 'refuseAnswer', method: 'eth_chainId', next: 1 },
    { kind: 'delayAnswer', method: ['eth_chainId', 'eth_getBalance'], ms: 40 },
  )
  /** The outcome, and whether it took so many ms; timers round down by up to one. */
  const delayed = async (least: number, ask: () => Promise<unknown>) => {
    const begin = performance.now()
    const outcome = await ask()
    return { outcome, isDelayed: performance.now() - begin >= least - 1 }
  }
  expect(await delayed(100, () => failure('eth_chainId'))).toMatchObject({
    outcome: { code: -32000 },
    isDelayed: true,
  })
  expect(await delayed(100, () => call('eth_chainId'))).toEqual({
    outcome: '0x7a69',
    isDelayed: true,
  })
  expect(await delayed(40, () => failure('eth_getBalance', 'nobody'))).toMatchObject({
    outcome: { code: -32602 },
    isDelayed: true,
  })
})

test('a rule that has fired often enough decodes and delays nothing', async () => {
  const { call } = await nodeUnder({ kind: 'delayAnswer', method: 'eth_chainId', ms: 1, next: 1 })
  await call('eth_chainId')
  expect(await call('eth_chainId')).toBe('0x7a69')
  expect(fired(await call<Status>('preconf_status'))).toEqual([1])
})

test('parameters that are nested deeper than a stack goes', async () => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const { failure } = await nodeUnder({ kind: 'refuseAnswer', method: 'eth_getLogs', hash })
  let nested: unknown = hash
  for (let depth = 0; depth < 9_000; depth++) nested = [nested]
  expect(await failure('eth_getLogs', { topics: nested })).toMatchObject({
    message: 'eth_getLogs refused by fault 0',
  })
})

test('a long answer is corrupted without becoming one string', async () => {
  const fault = await faultOf({ kind: 'corruptAnswer', method: 'debug_traceBlock' })
  const piece = `{"value":"0x${'00'.repeat(50)}"}`
  const pieces = ['[', ...Array.from({ length: 9 }, () => `${piece},`), piece, ']']
  const text = vi.spyOn(JsonText.prototype, 'text', 'get')
  onTestFinished(() => text.mockRestore())
  const request = { method: 'debug_traceBlock', params: [], caller: { signal: NEVER } }
  const wrong = await fault.answer(request, () => new JsonText(pieces))
  expect(text).not.toHaveBeenCalled()
  if (!(wrong instanceof JsonText)) throw new Error('Want JSON text')
  const changed = wrong.pieces.filter((one, index) => one !== pieces[index])
  expect(changed).toHaveLength(1)
  expect(JSON.parse(wrong.text)).toHaveLength(10)
})
