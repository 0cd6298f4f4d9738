import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { FaultKind, FaultRule } from '../../../devnet/faults/types.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { createRpcChain, type RpcChain } from '../rpc/methods/rpcChain.ts'
import { fired } from './faultyNode.ts'

/** Every kind, with the fields that it must have. */
const KINDS = {
  drop: {},
  hold: {},
  reorder: {},
  truncate: {},
  reorg: {},
  skipTick: {},
  delayTick: { ms: 1 },
  stall: {},
  delaySeal: { ms: 1 },
  refuseAnswer: { method: 'eth_estimateGas' },
  delayAnswer: { method: 'eth_estimateGas', ms: 1 },
  corruptAnswer: { method: 'eth_estimateGas' },
  cutSockets: {},
  duplicateSlice: {},
  loseSlice: {},
  swapSlices: {},
} satisfies Record<FaultKind, object>

/** The kinds that can be matched by a field. */
const TRANSACTIONS = ['drop', 'hold']
const ANSWERS = ['refuseAnswer', 'delayAnswer', 'corruptAnswer']
const TICKS = ['skipTick', 'delayTick', 'stall', 'cutSockets', ...TRANSACTIONS, ...ANSWERS]
const MATCHED: Readonly<Record<string, readonly string[]>> = {
  method: ANSWERS,
  from: [...TRANSACTIONS, ...ANSWERS],
  address: [...TRANSACTIONS, ...ANSWERS],
  hash: [...TRANSACTIONS, ...ANSWERS],
  nonce: TRANSACTIONS,
  block: Object.keys(KINDS),
  tick: TICKS,
  probability: Object.keys(KINDS),
  next: Object.keys(KINDS),
}

const OTHER: Hex = `0x${'ab'.repeat(20)}`
const NO_HASH: Hex = `0x${'ab'.repeat(32)}`

/**
 * What every fault has a chance in: transactions, ticks, answers, and a due seal.
 *
 * @param limits - returns what rules name, given the hash of a transaction
 * @returns how often each rule has fired
 */
async function play(kind: FaultKind, limits: (hash: Hex, node: RpcChain) => readonly object[]) {
  const node = await createRpcChain({
    frozenTicks: false,
    tickInterval: 3_600_000,
    sealInterval: 7_200_000,
  })
  const { call, account, chain, clocks } = node
  // Messages of the flashblock stream.
  const swapped: object[] = []
  chain.events.published.add(({ view, index }) => {
    clocks.faults?.messages({}, { block: Number(view.environment.number), index }, swapped)
  })
  const to = account(9).address
  const send = (from: number) =>
    call<Hex>('eth_sendTransaction', { from: account(from).address, to, gas: '0x5208' })
  const hash = await send(0)
  await send(1)
  // As JSON-RPC may pass anything.
  const rules = limits(hash, node).map((one) => ({ kind, ...KINDS[kind], ...one }) as FaultRule)
  await call('preconf_faults', { rules })
  const data = hash
  const ask = () =>
    call('eth_estimateGas', { from: account(0).address, to, data }, 'latest').catch(() => undefined)
  await ask()
  await call('preconf_advance', { ticks: 1 })
  await send(2)
  await call('preconf_advance', { ticks: 1 })
  await ask()
  await call('preconf_advance', { ticks: 2 })
  return fired(await call<Status>('preconf_status'))
}

/** A value of a field for which a fault fires, and one for which it does not. */
const VALUES: Readonly<
  Record<string, readonly [(hash: Hex, node: RpcChain) => unknown, () => unknown]>
> = {
  method: [() => ['eth_chainId', 'eth_estimateGas'], () => 'eth_call'],
  from: [(_, { account }) => account(0).address, () => OTHER],
  address: [(_, { account }) => account(9).address, () => OTHER],
  hash: [(hash) => hash, () => NO_HASH],
  nonce: [() => 0, () => 7],
  block: [() => 1, () => 9],
  tick: [() => 0, () => 9],
  probability: [() => 0.999, () => 1e-6],
}

describe.each(Object.keys(KINDS) as FaultKind[])('%s', (kind) => {
  const fields = Object.keys(VALUES)
  const own = fields.filter((field) => MATCHED[field]?.includes(kind))

  test.each(own)('by %s', async (field) => {
    const [value, other] = VALUES[field] ?? []
    const [never, count] =
      (await play(kind, (hash, node) => [
        { [field]: other?.() },
        { [field]: value?.(hash, node) },
      ])) ?? []
    expect(never).toBe(0)
    expect(count, `devnet/faults/faults.ts: ${kind} does not fire`).toBeGreaterThan(0)
  })

  test('by the next n', async () => {
    expect(await play(kind, () => [{ next: 1 }])).toEqual([1])
  })

  const others = [...fields, 'next'].filter((field) => !MATCHED[field]?.includes(kind))
  test.skipIf(others.length === 0)('error: by anything else', async () => {
    const node = await createRpcChain()
    for (const field of others) {
      const rule = { kind, ...KINDS[kind], [field]: VALUES[field]?.[0](NO_HASH, node) }
      expect(await node.failure('preconf_faults', { rules: [rule] })).toEqual({
        code: -32602,
        message: `invalid argument 0: rules[0]: unknown field "${field}"`,
      })
    }
  })
})

describe('values for which a fault could never fire', () => {
  test.each(Object.keys(KINDS) as FaultKind[])('error: %s', async (kind) => {
    const { failure } = await createRpcChain()
    for (const [field, value, message] of [
      ['block', 0, 'want at least 1'],
      ['probability', 0, 'want a number above 0, at most 1'],
      ['next', 0, 'want at least 1'],
    ] as const) {
      const rule = { kind, ...KINDS[kind], [field]: value }
      expect(await failure('preconf_faults', { rules: [rule] })).toEqual({
        code: -32602,
        message: `invalid argument 0: rules[0].${field}: ${message}`,
      })
    }
  })

  test.each([
    ['from', 'eth_getBalance', 'no request of eth_getBalance names a sender'],
    ['from', 'eth_getLogs', 'no request of eth_getLogs names a sender'],
    [
      'from',
      ['eth_chainId', 'eth_blockNumber'],
      'no request of eth_chainId, eth_blockNumber names a sender',
    ],
    // A map by address, in which `from` would be a wrong key.
    ['from', 'eth_getStorageValues', 'no request of eth_getStorageValues names a sender'],
    ['address', 'eth_chainId', 'no request of eth_chainId names an address'],
    // A text that need not be hexadecimal, but cannot be an address.
    ['address', 'anvil_setRpcUrl', 'no request of anvil_setRpcUrl names an address'],
    [
      'address',
      'eth_getTransactionByHash',
      'no request of eth_getTransactionByHash names an address',
    ],
    ['hash', 'eth_blockNumber', 'no request of eth_blockNumber names a hash'],
    ['hash', 'eth_getBlockByNumber', 'no request of eth_getBlockByNumber names a hash'],
  ] as const)('error: %s with %s', async (field, method, message) => {
    const { failure } = await createRpcChain()
    const value = field === 'hash' ? NO_HASH : OTHER
    const rule = { kind: 'refuseAnswer', method, [field]: value }
    expect(await failure('preconf_faults', { rules: [{ kind: 'reorder' }, rule] })).toEqual({
      code: -32602,
      message: `rules[1].${field}: ${message}`,
    })
  })

  test.each([
    ['from', ['eth_chainId', 'eth_call']],
    ['from', 'eth_sendRawTransaction'],
    ['address', 'eth_simulateV1'],
    ['address', 'eth_getLogs'],
    ['address', 'eth_getBalance'],
    ['address', 'eth_getStorageValues'],
    // In the second parameter, whose form the first one decides.
    ['address', 'eth_subscribe'],
    ['hash', 'eth_getTransactionReceipt'],
    // In an object that is a block, too (EIP-1898).
    ['hash', 'eth_getBalance'],
    ['hash', 'eth_getProof'],
    ['hash', 'eth_sendRawTransactionSync'],
  ] as const)('%s with %s', async (field, method) => {
    const { call } = await createRpcChain()
    const value = field === 'hash' ? NO_HASH : OTHER
    const rule = { kind: 'refuseAnswer', method, [field]: value }
    expect(await call('preconf_faults', { rules: [rule] })).toMatchObject({
      faults: { rules: [rule] },
    })
  })
})

test('answers by sender, recipient and hash of a signed transaction', async () => {
  const { call, failure, account, engine } = await createRpcChain()
  const sign = (index: number) =>
    privateKeyToAccount(account(index).privateKey).signTransaction({
      to: OTHER,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      chainId: engine.chainId,
    })
  const refused = { code: -32000, message: 'eth_sendRawTransaction refused by fault 0' }
  const set = (limits: object) =>
    call('preconf_faults', {
      rules: [{ kind: 'refuseAnswer', method: 'eth_sendRawTransaction', ...limits }],
    })
  await set({ from: account(0).address })
  expect(await failure('eth_sendRawTransaction', await sign(0))).toEqual(refused)
  const hash = await call<Hex>('eth_sendRawTransaction', await sign(1))
  await set({ address: OTHER })
  expect(await failure('eth_sendRawTransaction', await sign(2))).toEqual(refused)
  await set({ address: account(0).address })
  await call('eth_sendRawTransaction', await sign(2))
  await set({ hash })
  expect(await failure('eth_sendRawTransaction', await sign(1))).toEqual(refused)
  await call('eth_sendRawTransaction', await sign(3))
  // What is no transaction is refused for that.
  expect(await failure('eth_sendRawTransaction', '0x1234')).toMatchObject({
    message: expect.not.stringContaining('fault'),
  })
})

test('a method that a rule names twice is one chance', async () => {
  const { call, failure } = await createRpcChain()
  const method = ['eth_chainId', 'eth_chainId']
  await call('preconf_faults', { rules: [{ kind: 'refuseAnswer', method, next: 2 }] })
  for (let count = 0; count < 2; count++) {
    expect(await failure('eth_chainId')).toMatchObject({ code: -32000 })
  }
  expect(await call('eth_chainId')).toBe('0x7a69')
})
