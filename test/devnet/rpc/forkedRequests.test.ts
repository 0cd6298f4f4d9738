import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { UpstreamError } from '../../../devnet/state/remote/remoteSource.ts'
import { forkTestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { artifact } from '../../support/solidity.ts'
import { createRpcChain, rpcChain } from './methods/rpcChain.ts'

const token = artifact('Token')
const NOBODY: Hex = `0x${'ab'.repeat(20)}`

/** A chain with a token, and a fork of it that knows nothing. */
async function setUp(input: OptionsInput = {}) {
  const upstream = await createRpcChain()
  const { address: from } = upstream.account(0)
  const data = `${token.bytecode}${'0'.repeat(61)}3e8`
  await upstream.call('eth_sendTransaction', { from, data })
  await upstream.call('evm_mine')
  const { head, store } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const forked = await forkTestChain(upstream, source, input)
  onTestFinished(() => forked.chain.close())
  const node = rpcChain(forked)
  const address = toHex(head.executed[0]?.contractAddress ?? new Uint8Array(0))
  const ask = (functionName: string, ...args: readonly unknown[]) => ({
    to: address,
    data: encodeFunctionData({ ...token, functionName, args }),
  })
  source.asked.length = 0
  return { ...node, address, ask, source, remote: forked.remote, upstream }
}

test('reads load what they miss, and answer as the chain itself', async () => {
  const { account, address, ask, call, source, upstream } = await setUp()
  const { address: holder } = account(0)
  const requests: [string, ...unknown[]][] = [
    ['eth_getBalance', holder, 'latest'],
    ['eth_getTransactionCount', holder, 'latest'],
    ['eth_getCode', address, 'latest'],
    ['eth_getStorageAt', address, '0x2', 'latest'],
    ['eth_getStorageValues', { [address]: ['0x0', '0x1', '0x2', '0x3'] }, 'latest'],
    ['eth_getAccountInfo', account(7).address, 'latest'],
    ['eth_call', { ...ask('balanceOf', holder), from: NOBODY }, 'latest'],
    ['eth_call', { to: NOBODY, data: '0x' }, 'latest', { [address]: { balance: '0x7' } }],
    ['eth_estimateGas', { ...ask('transfer', NOBODY, 7n), from: holder }],
    ['eth_createAccessList', { ...ask('transfer', NOBODY, 7n), from: holder }],
    ['debug_traceCall', { ...ask('balanceOf', account(3).address) }, 'latest', {}],
    [
      'eth_simulateV1',
      {
        blockStateCalls: [
          {
            calls: [{ ...ask('transfer', account(9).address, 7n), from: holder }],
            stateOverrides: { [account(11).address]: { nonce: '0x5' } },
          },
        ],
      },
    ],
  ]
  for (const [method, ...params] of requests) {
    const answer = await call(method, ...params)
    const expected = await upstream.call(method, ...params)
    if (method === 'eth_simulateV1') {
      expect(answer).toMatchObject([{ calls: [{ status: '0x1', gasUsed: gasUsed(expected) }] }])
    } else expect([method, answer]).toEqual([method, expected])
  }
  expect(source.asked.length).toBeGreaterThan(5)
  source.asked.length = 0
  for (const [method, ...params] of requests) await call(method, ...params)
  expect(source.asked).toEqual([])
})

/** Of the only call. */
function gasUsed(blocks: unknown): Hex {
  // The shape of eth_simulateV1.
  const [block] = blocks as { calls: { gasUsed: Hex }[] }[]
  return block?.calls[0]?.gasUsed ?? '0x'
}

test('what a request reads before its code runs is fetched together', async () => {
  const { account, address, ask, call, source } = await setUp()
  await call('eth_getStorageValues', { [address]: ['0x7', '0x8', '0x5', '0x6'] }, 'latest')
  expect(source.asked.map(({ slots }) => slots.length)).toEqual([4])
  source.asked.length = 0
  const overrides = Object.fromEntries(
    [3, 4, 5].map((index) => [account(index).address, { nonce: '0x7' }]),
  )
  await call('eth_call', { ...ask('totalSupply'), from: NOBODY }, 'latest', overrides)
  expect(source.asked.map(({ accounts, slots }) => [accounts.length, slots.length])).toEqual([
    [5, 0],
    [0, 1],
  ])
})

test('calls in one turn share requests', async () => {
  const { account, ask, call, source } = await setUp()
  const calls = Array.from({ length: 20 }, (_, index) =>
    call('eth_call', { ...ask('balanceOf', account(index).address), from: account(index).address }),
  )
  await Promise.all(calls)
  expect(source.asked.length).toBeLessThan(10)
  expect(source.asked.flatMap(({ slots }) => slots)).toHaveLength(20)
})

test('cheats and sends change nothing before what they miss is loaded', async () => {
  const { account, address, ask, call, chain, clocks, source } = await setUp()
  const { address: holder } = account(0)
  const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
  await call('hardhat_setBalance', account(5).address, '0x5')
  await call('hardhat_setStorageAt', address, '0x2', word(0))
  await call('hardhat_setNonce', account(6).address, '0x9')
  await call('anvil_addBalance', NOBODY, '0x3')
  // The account was loaded, and the slot was not.
  expect(source.asked.flatMap(({ slots }) => slots)).toEqual([])
  expect(await call('eth_getStorageAt', address, '0x2', 'latest')).toBe(word(0))
  expect(source.asked.flatMap(({ slots }) => slots)).toEqual([])
  expect(await call('eth_getBalance', account(5).address, 'latest')).toBe('0x5')
  expect(await call('eth_getBalance', NOBODY, 'latest')).toBe('0x3')
  const hash = await call('eth_sendTransaction', { ...ask('transfer', NOBODY, 7n), from: holder })
  await clocks.advanceTicks(1)
  expect(chain.pending.executed.map(({ transaction }) => transaction.hash)).toEqual([hash])
  expect(chain.mempool.size).toBe(0)
})

test('a request that the upstream fails is an error with its reason', async () => {
  const { address, ask, call, failure, source, remote } = await setUp()
  const message = 'upstream did not give 0xab… at block 2: HTTP 429, 5 attempts in 31 s'
  source.failure = new UpstreamError(message, { transient: true })
  expect(await failure('eth_getBalance', NOBODY, 'latest')).toEqual({ code: -32000, message })
  expect(await failure('eth_call', ask('totalSupply'), 'latest')).toEqual({ code: -32000, message })
  source.failure = new UpstreamError(message, { transient: false })
  expect(await failure('eth_getBalance', NOBODY, 'latest')).toEqual({ code: -32001, message })
  source.failure = undefined
  await call('eth_getBalance', address, 'latest')
  // In the middle of an execution.
  await remote.load({ accounts: [addressKeyFromHex(NOBODY)], slots: [] })
  source.failure = new UpstreamError(message, { transient: true })
  const request = { ...ask('totalSupply'), from: NOBODY }
  for (let count = 0; count < 3; count++) {
    expect(await failure('eth_call', request, 'latest')).toEqual({ code: -32000, message })
  }
  source.failure = undefined
  expect(await call('eth_call', request, 'latest')).toMatch(/3e8$/)
})

test('rules of faults can be taken back while the upstream hangs', async () => {
  const { account, call, chain, source } = await setUp()
  await call('preconf_faults', { rules: [{ kind: 'skipTick' }] })
  const from = account(8).address
  await call('eth_getTransactionCount', from, 'pending')
  const { promise, resolve } = Promise.withResolvers<void>()
  source.delay = () => promise
  await call('eth_sendTransaction', { from, to: NOBODY, gas: '0x5208' })
  expect(chain.arrived()).toBeDefined()
  const status = await call<object>('preconf_faults', { rules: [] })
  expect(status).not.toHaveProperty('faults')
  resolve()
})

test('a client that hangs up waits no longer', async () => {
  const { ask, callAs, source } = await setUp()
  source.delay = () => new Promise(() => undefined)
  const client = new AbortController()
  const caller = { signal: client.signal }
  const requests = [
    callAs(caller, 'eth_getBalance', NOBODY, 'latest'),
    callAs(caller, 'eth_call', ask('totalSupply'), 'latest'),
    callAs(caller, 'eth_getStorageValues', { [NOBODY]: ['0x0'] }, 'latest'),
  ]
  const outcomes = Promise.allSettled(requests)
  client.abort()
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
})

test('in instant mode a send waits for the upstream, and is sealed', async () => {
  const { account, ask, call, chain } = await setUp({ instant: true, frozenTicks: false })
  const { address: holder } = account(0)
  const hash = await call('eth_sendTransaction', { ...ask('transfer', NOBODY, 7n), from: holder })
  expect(chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([hash])
  expect(chain.head.executed[0]?.success).toBe(true)
})

test.each([
  ['in instant mode', { instant: true }],
  ['with tick interval 0', { tickInterval: 0 }],
])('%s a send that the upstream fails is an error with its reason', async (_, mode) => {
  const { account, address, ask, failure, call, chain, source } = await setUp({
    ...mode,
    frozenTicks: false,
  })
  const { address: holder } = account(0)
  await call('eth_getBalance', holder, 'latest')
  await call('eth_getBalance', NOBODY, 'latest')
  source.faults.set(addressKeyFromHex(address), new UpstreamError('HTTP 503', { transient: true }))
  const request = { ...ask('transfer', NOBODY, 7n), from: holder, gas: '0x30000' }
  expect(await failure('eth_sendTransaction', request)).toEqual({
    code: -32000,
    message: expect.stringMatching(
      /^transaction 0x[0-9a-f]{64} reads what the upstream does not give: HTTP 503$/,
    ),
  })
  expect(chain.mempool.size).toBe(0)
  // The nonce is free again.
  source.faults.clear()
  const hash = await call('eth_sendTransaction', request)
  expect(chain.findTransaction(hash as Hex)?.at).toBe('instant' in mode ? 'sealed' : 'pending')
})

test('error: a forked chain is not followed, and says why', async () => {
  const { failure } = await setUp()
  expect(await failure('preconf_replicaState')).toEqual({
    code: -32000,
    message:
      'it stands on a block of another chain, and has only what was read of that one: follow a node that was started without --fork',
  })
})

test('a fork in the profile of a network', async () => {
  const { account, address, ask, call } = await setUp({ profile: 'base-flashblocks' })
  const { address: from } = account(0)
  const balance = (tag: string) => call('eth_call', ask('balanceOf', NOBODY), tag)
  expect(await balance('pending')).toBe(numberToHex(0, { size: 32 }))
  const { data } = ask('transfer', NOBODY, 7n)
  await call('eth_sendTransaction', { from, to: address, data })
  await call('preconf_advance', { ticks: 1 })
  expect([await balance('pending'), await balance('latest')]).toEqual([
    numberToHex(7, { size: 32 }),
    numberToHex(0, { size: 32 }),
  ])
})
