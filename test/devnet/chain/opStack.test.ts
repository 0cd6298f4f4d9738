import { type Hex, toHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import { flashblocks } from '../../../devnet/stream/raw/flashblock.ts'
import { dumpOf, restored } from '../persistence/dump/support.ts'
import { createRpcChain, type RpcChain } from '../rpc/methods/rpcChain.ts'
import type { Message } from '../stream/raw/follower.ts'

const L1_USER: Hex = `0x${'ab'.repeat(20)}`
const L1_BLOCK = '0x4200000000000000000000000000000000000015'

interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly transactions: readonly { readonly hash: Hex; readonly to: Hex | null }[]
}

const block = ({ call }: RpcChain, tag: string) => call<Block>('eth_getBlockByNumber', tag, true)

/** A block with a failed deposit, one that creates a contract, and a transfer. */
async function fill({ call, account }: RpcChain): Promise<Hex[]> {
  const [from, to] = [account(0).address, account(1).address]
  const deposit = (fields: object) => call<Hex>('preconf_deposit', { from: L1_USER, ...fields })
  const hashes = [
    await deposit({ to, mint: '0x5', value: '0x6' }),
    await deposit({ data: '0x6001600c60003960016000f300' }),
    await call<Hex>('eth_sendTransaction', { from, to: L1_USER, value: '0x64' }),
  ]
  await call('preconf_advance', { ticks: 1 })
  return hashes
}

test('a state file keeps deposits, L1 fees and what is pre-confirmed', async () => {
  const node = await createRpcChain({ profile: 'base-flashblocks' })
  const sealed = await fill(node)
  await node.call('preconf_seal')
  const pending = await fill(node)
  const again = await restored(await dumpOf(node), { profile: 'base-flashblocks' })
  const shown = async (chain: RpcChain) => [
    await block(chain, 'latest'),
    await block(chain, 'pending'),
    ...(await Promise.all(
      [...sealed, ...pending].map((hash) => chain.call('eth_getTransactionReceipt', hash)),
    )),
  ]
  expect(await shown(again)).toEqual(await shown(node))
  // Roots come out the same, and the chain goes on.
  for (const chain of [node, again]) {
    await chain.call('preconf_seal')
    await fill(chain)
    await chain.call('preconf_seal')
  }
  expect((await block(again, 'latest')).hash).toBe((await block(node, 'latest')).hash)
})

test('a chain of the OP Stack stays one in a node of another profile', async () => {
  const node = await createRpcChain({ profile: 'base-flashblocks' })
  await fill(node)
  const again = await restored(await dumpOf(node))
  expect(await again.call('preconf_deposit', { to: L1_USER })).toMatch(/^0x/)
})

test('a chain without the OP Stack stays so in a node of profile base-flashblocks', async () => {
  const node = await createRpcChain()
  const [from, to] = [node.account(0).address, node.account(1).address]
  const pay = async ({ call }: RpcChain) => {
    await call('eth_sendTransaction', { from, to, value: '0x1' })
    await call('preconf_advance', { blocks: 2 })
  }
  await pay(node)
  const again = await restored(await dumpOf(node), { profile: 'base-flashblocks' })
  for (const chain of [node, again]) await pay(chain)
  const newest = await block(node, 'latest')
  expect(newest.number).toBe('0x4')
  expect(await block(again, 'latest')).toEqual(newest)
  expect(await again.failure('preconf_deposit', { to })).toMatchObject({ code: -32000 })
  // The rules are the same, so a state of the first node fits the second.
  expect(await again.call('hardhat_loadState', await node.call('hardhat_dumpState'))).toBe(true)
})

test('index 0 of the stream has the deposit of its block', async () => {
  const node = await createRpcChain({ profile: 'base-flashblocks' })
  await node.call('preconf_advance', { ticks: 1 })
  const messages: Message[] = []
  const add = ({ text }: { text: { text: string } }) => messages.push(JSON.parse(text.text))
  onTestFinished(flashblocks(profileOf('base-flashblocks'))(node.chain).add(add))
  await node.call('preconf_seal')
  await fill(node)
  await node.call('preconf_seal')
  expect(messages.map(({ index, diff }) => [index, diff.transactions.length])).toEqual([
    [0, 1],
    [1, 3],
    [0, 1],
  ])
  expect(messages.map(({ diff }) => String(diff.transactions[0]).slice(0, 4))).toEqual(
    messages.map(() => '0x7e'),
  )
})

test('commands take a block that has only opened for empty', async () => {
  const node = await createRpcChain({ profile: 'base-flashblocks' })
  const { call } = node
  await call('preconf_seal')
  expect(node.chain.pending.executed).toHaveLength(1)
  await call('hardhat_setBalance', L1_USER, '0x7')
  expect(await call('eth_getBalance', L1_USER, 'latest')).toBe('0x7')
  expect(await call('evm_setNextBlockTimestamp', toHex(1_900_000_000))).toBeDefined()
  expect(await call('eth_blockNumber')).toBe('0x1')
  await call('evm_mine')
  expect(await call('eth_blockNumber')).toBe('0x2')
  await call('hardhat_mine', '0x400')
  expect(await call('eth_blockNumber')).toBe('0x402')
  expect((await block(node, 'latest')).transactions).toMatchObject([{ to: L1_BLOCK }])
})

test('in instant mode, a deposit has a block of its own', async () => {
  const node = await createRpcChain({
    profile: 'base-flashblocks',
    frozenTicks: false,
    instant: true,
  })
  const hash = await node.call<Hex>('preconf_deposit', { from: L1_USER, to: L1_USER, mint: '0x1' })
  const { number, transactions } = await block(node, 'latest')
  expect(number).toBe('0x1')
  expect(transactions).toMatchObject([{ to: L1_BLOCK }, { hash }])
})

test('snapshots and drops leave the opening of the block', async () => {
  const node = await createRpcChain({ profile: 'base-flashblocks' })
  const { call } = node
  await call('preconf_seal')
  const snapshot = await call('evm_snapshot')
  const [first = '0x', second = '0x'] = await fill(node)
  const opening = (await block(node, 'pending')).transactions[0]?.hash ?? '0x'
  await call('hardhat_dropTransaction', opening)
  await call('hardhat_dropTransaction', first)
  const { transactions } = await block(node, 'pending')
  expect(transactions.map(({ hash }) => hash).slice(0, 2)).toEqual([opening, second])
  await call('evm_revert', snapshot)
  await fill(node)
  expect((await block(node, 'pending')).transactions[0]?.hash).toBe(opening)
})

test('the vaults earn, and absent predeploys say that they are', async () => {
  const { call, failure } = await createRpcChain({ profile: 'base-flashblocks' })
  expect(
    await failure('eth_call', { to: '0x4200000000000000000000000000000000000010' }),
  ).toMatchObject({
    code: 3,
    message: 'execution reverted: L2StandardBridge is not on this devnet',
  })
  expect(await call('eth_getCode', '0x4200000000000000000000000000000000000006')).not.toBe('0x')
})
