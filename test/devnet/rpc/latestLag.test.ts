import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { forkTestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { topicOf } from '../stream/emitterChain.ts'
import { createRpcChain, type RpcChain, rpcChain, SLOW_CLOCKS } from './methods/rpcChain.ts'

/** Stores its calldata in slot 0. */
const STORER: Hex = `0x${'c2'.repeat(20)}`
const STORER_CODE = '0x5f355f5500'
const FUNDED: Hex = `0x${'d1'.repeat(20)}`
/** Contracts and accounts that nothing changes. */
const QUIET: Hex = `0x${'c3'.repeat(20)}`

/** Deploys 2 bytes of code. */
const CREATION = '0x615b005f526002601ef3'

/**
 * Block 1 is sealed. Block 2 pays FUNDED, stores a word and creates a contract, all pre-confirmed.
 */
async function fill(node: RpcChain) {
  const { call, account } = node
  const from = account(0).address
  const send = (fields: object) => call<Hex>('eth_sendTransaction', { from, ...fields })
  for (const address of [STORER, QUIET]) await call('hardhat_setCode', address, STORER_CODE)
  await call('preconf_seal')
  await send({ to: FUNDED, value: '0x5' })
  await send({ to: STORER, gas: '0x30d40', data: topicOf(9) })
  const creation = await send({ gas: '0x30d40', data: CREATION })
  await call('preconf_advance', { ticks: 1 })
  const { contractAddress: created } = await call<{ contractAddress: Hex }>(
    'preconf_getTransactionReceipt',
    creation,
  )
  return { ...node, from, other: account(1).address, created, send }
}

async function create(options: OptionsInput = {}) {
  return await fill(await createRpcChain({ ...SLOW_CLOCKS, ...options }))
}

type Node = Awaited<ReturnType<typeof create>>
type Row = readonly [what: string, method: string, params: (node: Node) => unknown[]]

const slot = topicOf(0)

/** Reads that miss what is pre-confirmed. */
const LATE: readonly Row[] = [
  ['the count of a sender', 'eth_getTransactionCount', ({ from }) => [from, 'latest']],
  ['the count, no block', 'eth_getTransactionCount', ({ from }) => [from]],
  ['the balance of a sender', 'eth_getBalance', ({ from }) => [from, 'latest']],
  ['the balance of a recipient', 'eth_getBalance', () => [FUNDED, 'latest']],
  ['the code of a new contract', 'eth_getCode', ({ created }) => [created, 'latest']],
  ['a slot', 'eth_getStorageAt', () => [STORER, slot, 'latest']],
  ['a proof', 'eth_getProof', () => [STORER, [slot], 'latest']],
  ['an account', 'eth_getAccount', ({ from }) => [from, 'latest']],
  ['an account, as forge asks', 'eth_getAccountInfo', ({ from }) => [from, 'latest']],
  ['a call of a new contract', 'eth_call', ({ created }) => [{ to: created }, 'latest']],
  ['a call of a changed contract', 'eth_call', () => [{ to: STORER }, 'latest']],
  ['a call without a block', 'eth_call', () => [{ to: STORER }]],
  ['an estimate, as web3 asks', 'eth_estimateGas', () => [{ to: STORER }, 'latest']],
  ['an access list', 'eth_createAccessList', () => [{ to: STORER }, 'latest']],
  [
    'a new contract by the number of the newest block',
    'eth_getCode',
    ({ created }) => [created, '0x1'],
  ],
  ['the same by EIP-1898', 'eth_getCode', ({ created }) => [created, { blockNumber: '0x1' }]],
  ['the same, as cast run asks', 'eth_getAccountInfo', ({ created }) => [created, '0x1']],
]

/** What programs ask that know of pre-confirmation, or that follow sealed blocks. */
const EARLY: readonly Row[] = [
  ['the number of the newest block', 'eth_blockNumber', () => []],
  ['the newest block', 'eth_getBlockByNumber', () => ['latest', true]],
  ['fees', 'eth_feeHistory', () => ['0x1', 'latest', []]],
  ['a price', 'eth_gasPrice', () => []],
  ['logs up to latest', 'eth_getLogs', () => [{ fromBlock: '0x0', toBlock: 'latest' }]],
  ['the count on pending', 'eth_getTransactionCount', ({ from }) => [from, 'pending']],
  ['the balance on pending', 'eth_getBalance', () => [FUNDED, 'pending']],
  ['a call on pending', 'eth_call', () => [{ to: STORER }, 'pending']],
  ['an estimate without a block', 'eth_estimateGas', () => [{ to: STORER }]],
  ['a balance that nothing has changed', 'eth_getBalance', ({ other }) => [other, 'latest']],
  [
    'a balance of an account that does not exist',
    'eth_getBalance',
    () => [`0x${'e1'.repeat(20)}`, 'latest'],
  ],
  ['a count that nothing has changed', 'eth_getTransactionCount', ({ other }) => [other, 'latest']],
  ['the code of a contract that has stored', 'eth_getCode', () => [STORER, 'latest']],
  ['the balance of a contract that has stored', 'eth_getBalance', () => [STORER, 'latest']],
  ['a slot that nothing has changed', 'eth_getStorageAt', () => [STORER, topicOf(1), 'latest']],
  [
    'a call of a quiet contract by a sender',
    'eth_call',
    ({ from }) => [{ from, to: QUIET }, 'latest'],
  ],
  ['a call without a callee', 'eth_call', () => [{ data: '0x00' }, 'latest']],
  ['a balance by number', 'eth_getBalance', ({ from }) => [from, '0x1']],
  ['a call by number', 'eth_call', () => [{ to: STORER }, '0x1']],
  ['a new contract at an older block', 'eth_getCode', ({ created }) => [created, '0x0']],
  ['a new contract at the pending block', 'eth_getCode', ({ created }) => [created, '0x2']],
  ['a balance of safe', 'eth_getBalance', () => [FUNDED, 'safe']],
]

const HINT =
  '`latest` has what is pre-confirmed only when block 2 is sealed. If a program fails by that, start the node with --receipts sealed or --instant: https://github.com/OWNER/hardhat-pending-node/blob/main/devnet/COMPATIBILITY.md'

test.each(LATE)('late: %s', async (_, method, params) => {
  const node = await create()
  for (let time = 0; time < 3; time++) await node.call(method, ...params(node))
  expect(node.hints).toEqual([expect.stringMatching(/^A client has read 0x[0-9a-f]{40}: /)])
  expect(node.hints[0]).toContain(HINT)
  expect(node.context.lag?.said).toBe(node.hints[0])
})

test.each(EARLY)('not late: %s', async (_, method, params) => {
  const node = await create()
  await node.call(method, ...params(node))
  expect(node.hints).toEqual([])
})

test.each<[string, (node: Node) => unknown, readonly string[]]>([
  [
    'nonce too low',
    ({ send }) => send({ to: FUNDED, value: '0x6', nonce: '0x0' }),
    ['A transaction was refused, "nonce too low: next nonce 3, tx nonce 0": '],
  ],
  [
    'already known',
    ({ send }) => send({ to: STORER, gas: '0x30d40', data: topicOf(9), nonce: '0x1' }),
    ['A transaction was refused, "already known": '],
  ],
  ['a gap', ({ send }) => send({ to: FUNDED, nonce: '0x9' }), []],
  [
    'funds',
    ({ send, other }) => send({ from: other, to: FUNDED, value: `0x${'f'.repeat(40)}` }),
    [],
  ],
])('a refused transaction: %s', async (_, refused, hints) => {
  const node = await create()
  await Promise.resolve(refused(node)).catch(() => undefined)
  expect(node.hints).toEqual(hints.map((begin) => `${begin}${HINT}`))
})

test('a nonce that is sealed, and one that waits, say nothing', async () => {
  const node = await create()
  await node.call('preconf_seal')
  const fields = { to: FUNDED, nonce: '0x3' }
  await node.send({ ...fields, value: '0x1' })
  await expect(node.send({ ...fields, value: '0x2' })).rejects.toThrow('underpriced')
  await expect(node.send({ ...fields, value: '0x1' })).rejects.toThrow('already known')
  await expect(node.send({ ...fields, nonce: '0x0' })).rejects.toThrow('nonce too low')
  expect(node.hints).toEqual([])
})

test('nothing is late while nothing is pre-confirmed', async () => {
  const node = await create()
  await node.call('preconf_seal')
  for (const [, method, params] of LATE) await node.call(method, ...params(node))
  expect(node.hints).toEqual([])
})

describe('nothing is said', () => {
  test.each<[string, OptionsInput]>([
    ['with --latest ticks', { latest: 'ticks' }],
    ['with --receipts sealed', { receipts: 'sealed' }],
    ['in instant mode', { instant: true }],
    ['on a network of the plugin', { likeHardhat: true, readOwnWrites: true }],
    ['in a profile', { profile: 'xlayer' }],
  ])('%s', async (_, options) => {
    const node = await createRpcChain({ ...SLOW_CLOCKS, ...options })
    const { call, hints } = node
    const from = node.account(0).address
    const send = () => call('eth_sendTransaction', { from, to: FUNDED, value: '0x5', nonce: '0x0' })
    await send()
    await call('preconf_advance', { ticks: 1 })
    await call('eth_getTransactionCount', from, 'latest')
    await call('eth_getBalance', FUNDED, 'latest')
    await expect(send()).rejects.toThrow()
    expect(hints).toEqual([])
  })
})

test('a forked chain notices it too, and asks its upstream nothing for it', async () => {
  const upstream = await createRpcChain()
  await upstream.call('evm_mine')
  const { head, store } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const forked = await forkTestChain(upstream, source, SLOW_CLOCKS)
  const node = rpcChain(forked)
  const from = node.account(0).address
  await node.call('eth_sendTransaction', { from, to: FUNDED, value: '0x5' })
  await node.call('preconf_advance', { ticks: 1 })
  await node.call('eth_getBalance', FUNDED, 'pending')
  source.asked.length = 0
  await node.call('eth_getBalance', FUNDED, 'latest')
  expect(node.hints).toHaveLength(1)
  expect(source.asked).toEqual([])
})
