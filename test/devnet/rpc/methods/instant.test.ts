import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createDispatch } from '../../../../devnet/rpc/dispatch.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { createRpcChain, hex, type RpcChain, SLOW_CLOCKS } from './rpcChain.ts'

const REVERTS: Hex = `0x${'c0'.repeat(20)}`
const HALTS: Hex = `0x${'c1'.repeat(20)}`
/** revert("nope") */
const REVERT_CODE = '0x6308c379a060e01b5f5260206004526004602452636e6f706560e01b60445260645ffd'
const REVERT_DATA = `0x08c379a0${hex(32n).slice(2).padStart(64, '0')}${hex(4n).slice(2).padStart(64, '0')}6e6f7065${'0'.repeat(56)}`
const GAS = '0x186a0'

/** In instant mode, with time standing still. */
async function createInstant(options: OptionsInput = {}): Promise<RpcChain & { from: Hex }> {
  const node = await createRpcChain(options)
  expect(await node.call('evm_setAutomine', true)).toBe(options.anvil === true ? null : true)
  await node.call('hardhat_setCode', REVERTS, REVERT_CODE)
  await node.call('hardhat_setCode', HALTS, '0xfe')
  return { ...node, from: node.account(0).address }
}

const latest = ({ call }: RpcChain) =>
  call<{ number: Hex; transactions: Hex[] }>('eth_getBlockByNumber', 'latest')

/** A signed call of {@link REVERTS}. */
function signReverting({ privateKey }: { readonly privateKey: Hex }): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTransaction({
    type: 'legacy',
    chainId: 31337,
    nonce: 0,
    to: REVERTS,
    gas: 100_000n,
    gasPrice: 10n ** 10n,
  })
}

test('default: sealed when the send is answered', async () => {
  const node = await createInstant()
  const hash = await node.call('eth_sendTransaction', { from: node.from, to: node.from })
  expect(await latest(node)).toMatchObject({ number: '0x1', transactions: [hash] })
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
  expect(await node.call('hardhat_getAutomine')).toBe(true)
})

test('one that reverts is sealed, and the send answers its error with the data', async () => {
  const node = await createInstant()
  const reverted = { code: 3, message: 'execution reverted: nope', data: REVERT_DATA }
  const request = { from: node.from, to: REVERTS, gas: GAS }
  // The same as that of a call.
  expect(await node.failure('eth_call', request)).toEqual(reverted)
  expect(await node.failure('eth_sendTransaction', request)).toEqual(reverted)
  const { number, transactions } = await latest(node)
  expect(number).toBe('0x1')
  expect(await node.call('eth_getTransactionReceipt', transactions[0])).toMatchObject({
    status: '0x0',
    to: REVERTS,
  })
  const raw = await signReverting(node.account(1))
  expect(await node.failure('eth_sendRawTransaction', raw)).toEqual(reverted)
  expect((await latest(node)).number).toBe('0x2')
})

test('one that fails otherwise: the error has the hash, as on hardhat node', async () => {
  const node = await createInstant()
  const failures: [object, string][] = [
    [{ to: HALTS }, 'invalid opcode: INVALID'],
    [{ data: '0x5b5f56' }, 'out of gas'],
  ]
  for (const [request, message] of failures) {
    const error = await node.failure('eth_sendTransaction', {
      from: node.from,
      gas: GAS,
      ...request,
    })
    const [txHash] = (await latest(node)).transactions
    expect(error).toEqual({ code: -32000, message, data: { message, txHash, data: '0x' } })
    expect(await node.call('eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x0' })
  }
  expect((await latest(node)).number).toBe('0x2')
})

test('in process, the error of one that fails has its hash', async () => {
  const node = await createInstant()
  const { request } = createDispatch({ context: node.context, methods: methodTable, maxBatch: 1 })
  const hashOf = (to: Hex) => {
    const params = [{ from: node.from, to, gas: GAS }]
    const caller = { signal: AbortSignal.any([]), subscribe: () => undefined, origin: undefined }
    return request({ method: 'eth_sendTransaction', params }, caller).catch(
      ({ transactionHash }) => transactionHash,
    )
  }
  for (const to of [REVERTS, HALTS]) {
    expect([await hashOf(to)]).toEqual((await latest(node)).transactions)
  }
})

// Returns its caller: CALLER, PUSH0, MSTORE, 32, PUSH0, RETURN.
const CALLER_CODE = '0x335f5260205ff3'

test('a call without a sender is that of the first account, as on hardhat node', async () => {
  const node = await createInstant()
  const sender = (text: Hex) => `0x${text.slice(2).padStart(64, '0')}`
  const payment = { to: node.account(1).address, value: hex(10n ** 18n) }
  expect(await node.call('eth_call', { data: CALLER_CODE }, 'latest')).toBe(sender(node.from))
  expect(await node.call('eth_estimateGas', payment)).toBe('0x5208')
  // Not where two clocks run, nor on anvil.
  await node.call('preconf_freeze')
  expect(await node.call('eth_call', { data: CALLER_CODE }, 'latest')).toBe(sender('0x'))
  const anvil = await createInstant({ anvil: true })
  expect(await anvil.call('eth_call', { data: CALLER_CODE }, 'latest')).toBe(sender('0x'))
})

test('one that is refused is not sealed', async () => {
  const node = await createInstant()
  const { failure, from } = node
  expect(await failure('eth_sendTransaction', { from, to: from, gas: '0x5000' })).toMatchObject({
    code: -32000,
    message: expect.stringContaining('intrinsic gas too low'),
  })
  await node.call('eth_sendTransaction', { from, to: from })
  expect(await failure('eth_sendTransaction', { from, to: from, nonce: '0x0' })).toEqual({
    code: -32000,
    message: 'nonce too low: next nonce 1, tx nonce 0',
  })
  expect((await latest(node)).number).toBe('0x1')
})

const tooHigh = (next: number, nonce: number) => ({
  code: -32000,
  message: `Nonce too high. Expected nonce to be ${next} but got ${nonce}. Note that transactions can't be queued when automining.`,
})

test('behind a nonce gap it is refused, as by hardhat node', async () => {
  const node = await createInstant()
  const { call, failure, from } = node
  const behind = { from, to: from, nonce: '0x5' }
  expect(await failure('eth_sendTransaction', { ...behind, gas: GAS })).toEqual(tooHigh(0, 5))
  expect(await failure('eth_sendTransaction', behind)).toEqual(tooHigh(0, 5))
  expect(await failure('eth_sendUnsignedTransaction', behind)).toEqual(tooHigh(0, 5))
  const raw = await call<Hex>('eth_signTransaction', { ...behind, nonce: '0x1' })
  expect(await failure('eth_sendRawTransaction', raw)).toEqual(tooHigh(0, 1))
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  // Where transactions can wait, it may.
  await call('evm_setAutomine', false)
  await call('eth_sendTransaction', behind)
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
})

test('what would fail with the gas that is estimated for it is refused', async () => {
  const node = await createInstant()
  const { call, failure, from } = node
  for (const to of [REVERTS, HALTS]) {
    const error = await failure('eth_estimateGas', { from, to })
    expect(await failure('eth_sendTransaction', { from, to })).toEqual(error)
    expect(await failure('eth_sendUnsignedTransaction', { from, to })).toEqual(error)
  }
  expect((await latest(node)).number).toBe('0x0')
  // Stores 1: PUSH1 1, PUSH0, SSTORE.
  const to = `0x${'c2'.repeat(20)}`
  await call('hardhat_setCode', to, '0x60015f55')
  const gas = await call('eth_estimateGas', { from, to })
  const hash = await call('eth_sendTransaction', { from, to })
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ gas, blockNumber: '0x1' })
})

test('each of several sends at once is estimated on what those before it did', async () => {
  const node = await createInstant()
  const { call, failure, from } = node
  const to = `0x${'c3'.repeat(20)}`
  // Fails once the slot is set: PUSH0, SLOAD, PUSH1 10, JUMPI, PUSH1 1, PUSH0, SSTORE, STOP, JUMPDEST, PUSH0, PUSH0, REVERT.
  await call('hardhat_setCode', to, '0x5f54600a5760015f55005b5f5ffd')
  const raw = await call<Hex>('eth_signTransaction', { from, to: from, nonce: '0x1', gas: GAS })
  const outcomes = await Promise.all([
    call('eth_sendTransaction', { from, to }),
    failure('eth_sendTransaction', { from, to }),
    // Does not overtake the first, whose nonce comes before.
    call('eth_sendRawTransaction', raw),
    call('eth_sendTransaction', { from, to: from }),
  ])
  expect(outcomes[1]).toEqual({ code: 3, message: 'execution reverted', data: '0x' })
  const nonces = await Promise.all(
    [0, 2, 3].map(
      async (index) =>
        (await call<{ nonce: Hex }>('eth_getTransactionByHash', outcomes[index])).nonce,
    ),
  )
  expect(nonces).toEqual(['0x0', '0x1', '0x2'])
  expect((await latest(node)).number).toBe('0x3')
})

test('estimated in the block that would be sealed now', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const node = await createInstant(SLOW_CLOCKS)
  const { call, failure, chain, from } = node
  const to = `0x${'c4'.repeat(20)}`
  const due = Number(chain.pending.environment.timestamp) + 100
  // Fails before: PUSH4 due, TIMESTAMP, LT, PUSH1 11, JUMPI, STOP, JUMPDEST, PUSH0, PUSH0, REVERT.
  await call('hardhat_setCode', to, `0x63${hex(due).slice(2)}4210600b57005b5f5ffd`)
  expect(await failure('eth_sendTransaction', { from, to })).toMatchObject({ code: 3 })
  vi.setSystemTime(Date.now() + 101_000)
  await call('eth_sendTransaction', { from, to })
  expect((await latest(node)).number).toBe('0x1')
})

test('a client that hangs up while its send is estimated keeps nobody waiting', async () => {
  const node = await createInstant()
  const { call, callAs, from } = node
  const to = `0x${'c5'.repeat(20)}`
  // A loop: JUMPDEST, PUSH0, JUMP.
  await call('hardhat_setCode', to, '0x5b5f56')
  const client = new AbortController()
  const sent = callAs({ signal: client.signal }, 'eth_sendTransaction', { from, to })
  const next = call('eth_sendTransaction', { from, to: from })
  client.abort(new Error('hung up'))
  await expect(sent).rejects.toMatchObject({ message: expect.stringContaining('aborted') })
  const hash = await next
  expect(await latest(node)).toMatchObject({ number: '0x1', transactions: [hash] })
})

test('args: on anvil a send that fails is answered with its hash', async () => {
  const node = await createInstant({ anvil: true })
  const { call, from } = node
  const raw = await signReverting(node.account(1))
  const hashes = [
    await call('eth_sendTransaction', { from, to: REVERTS, gas: GAS }),
    await call('eth_sendTransaction', { from, to: REVERTS }),
    await call('eth_sendTransaction', { from, data: '0x5b5f56' }),
    await call('eth_sendUnsignedTransaction', { from, to: HALTS }),
    await call('eth_sendRawTransaction', raw),
  ]
  for (const [index, hash] of hashes.entries()) {
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x0',
      blockNumber: hex(index + 1),
    })
  }
})

test('args: on anvil gas is estimated, and what would fail gets the most that it may have', async () => {
  const { call, from } = await createInstant({ anvil: true })
  const gas = async (request: object) => {
    const hash = await call('eth_sendTransaction', { from, ...request })
    return (await call<{ gas: Hex }>('eth_getTransactionByHash', hash)).gas
  }
  expect(await gas({ to: from })).toBe('0x5208')
  // Stores 1: PUSH1 1, PUSH0, SSTORE.
  const to = `0x${'c2'.repeat(20)}`
  await call('hardhat_setCode', to, '0x60015f55')
  expect(await gas({ to })).toBe(await call('eth_estimateGas', { from, to }, '0x1'))
  expect(await gas({ to: REVERTS })).toBe('0x1000000')
})

test('behind a nonce gap as on anvil it waits, and the send is answered', async () => {
  const node = await createInstant({ anvil: true })
  const { call, from } = node
  const second = await call('eth_sendTransaction', { from, to: from, nonce: '0x1' })
  expect((await latest(node)).number).toBe('0x0')
  expect(await call('eth_getTransactionByHash', second)).toMatchObject({ blockNumber: null })
  // Its own failure, not that of the one it frees.
  const freed = await call('eth_sendTransaction', { from, to: REVERTS, gas: GAS, nonce: '0x2' })
  const first = await call('eth_sendTransaction', { from, to: from, nonce: '0x0' })
  // In one block, as on anvil.
  expect(await latest(node)).toMatchObject({ number: '0x1', transactions: [first, second, freed] })
})

test('many sends at once, of several accounts, are each answered with their own outcome', async () => {
  const node = await createInstant()
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const from = node.account(index % 4).address
      const to = index % 3 === 0 ? REVERTS : from
      try {
        return await node.call<Hex>('eth_sendTransaction', { from, to, gas: GAS })
      } catch (error) {
        return (error as { code: number }).code
      }
    }),
  )
  expect(outcomes.map((outcome) => outcome === 3)).toEqual(
    Array.from({ length: 40 }, (_, index) => index % 3 === 0),
  )
  expect((await latest(node)).number).toBe('0x28')
})

test('a batch runs in its order', async () => {
  const node = await createRpcChain()
  const { context } = node
  const dispatch = createDispatch({ context, methods: methodTable, maxBatch: 100 })
  const from = `0x${'ab'.repeat(20)}`
  const batch = [
    ['evm_setAutomine', true],
    ['hardhat_setBalance', from, hex(10n ** 18n)],
    ['hardhat_impersonateAccount', from],
    ['eth_sendTransaction', { from, to: from }],
    ['eth_blockNumber'],
    ['evm_snapshot'],
    ['eth_sendTransaction', { from, to: from }],
    ['eth_sendTransaction', { from, to: from }],
    ['eth_blockNumber'],
    ['evm_revert', '0x1'],
    ['eth_getTransactionCount', from],
    ['hardhat_mine', '0x2'],
    ['eth_blockNumber'],
  ].map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const answer = await dispatch.handleText(JSON.stringify(batch), {
    signal: new AbortController().signal,
    subscribe: () => undefined,
    origin: undefined,
  })
  const results = JSON.parse(String(answer)).map(({ result }: { result: unknown }) => result)
  const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
  expect(results).toEqual([
    ...[true, true, true, hash, '0x1', '0x1', hash, hash, '0x3', true, '0x1', true, '0x3'],
  ])
})

test('freeze and resume, and the status of each', async () => {
  const node = await createInstant()
  expect(await node.call('preconf_freeze')).toMatchObject({
    instant: false,
    sealing: { running: false },
  })
  expect(await node.call('hardhat_getAutomine')).toBe(false)
  const hash = await node.call('eth_sendTransaction', { from: node.from, to: node.from })
  expect((await latest(node)).number).toBe('0x0')
  expect(await node.call('preconf_resume')).toMatchObject({ instant: true, latest: { number: 1 } })
  expect((await latest(node)).transactions).toEqual([hash])
})

test('evm_setAutomine off, then an interval', async () => {
  const node = await createInstant()
  await node.call('evm_setAutomine', false)
  expect(await node.call('hardhat_getAutomine')).toBe(false)
  expect(await node.call('hardhat_getIntervalMining')).toBeNull()
  expect(await node.call('evm_setIntervalMining', 5000)).toBe(true)
  expect(await node.call('hardhat_getIntervalMining')).toBe(5000)
  expect(await node.call('preconf_status')).toMatchObject({
    instant: false,
    sealing: { running: true, interval: 5000 },
  })
  expect(await node.call('evm_setIntervalMining', [2000, 2001])).toBe(true)
  expect([2000, 2001]).toContain(await node.call('hardhat_getIntervalMining'))
  expect(await node.call('evm_setIntervalMining', 0)).toBe(true)
  expect(await node.call('hardhat_getIntervalMining')).toBeNull()
})

test('snapshots bring it back', async () => {
  const node = await createInstant()
  const id = await node.call('evm_snapshot')
  await node.call('evm_setAutomine', false)
  await node.call('evm_setIntervalMining', 7000)
  await node.call('evm_revert', id)
  expect(await node.call('hardhat_getAutomine')).toBe(true)
  expect(await node.call('hardhat_getIntervalMining')).toBeNull()
  await node.call('eth_sendTransaction', { from: node.from, to: node.from })
  expect((await latest(node)).number).toBe('0x1')
})
