import { expect, test } from 'vitest'
import {
  type FormattedAccountAccess,
  formatAccessList,
} from '../../../devnet/json/formatAccessList.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'
import { AccessListChain } from './accessListChain.ts'

const SYSTEM: Hex = '0xfffffffffffffffffffffffffffffffffffffffe'
const STRANGER: Hex = `0x${'cc'.repeat(20)}`
const NONE = {
  storageChanges: [],
  storageReads: [],
  balanceChanges: [],
  nonceChanges: [],
  codeChanges: [],
}

function listOf({ accessList }: SealedBlock): FormattedAccountAccess[] {
  if (accessList === undefined) throw new Error('It is no block of Amsterdam')
  return formatAccessList(accessList)
}

const of = (list: readonly FormattedAccountAccess[], address: Hex) =>
  list.find((account) => account.address === address)

async function createChain() {
  const node = await createRpcChain({ hardfork: 'amsterdam' })
  const from = node.account(0).address.toLowerCase() as Hex // an address
  return {
    ...node,
    from,
    /** Sends a payment to a stranger, and seals it. */
    async pay(fields: object = {}) {
      const payment = { from, to: STRANGER, value: '0x5', gas: '0x100000', ...fields }
      await node.call('eth_sendTransaction', payment)
      await node.call('preconf_advance', { blocks: 1 })
      return listOf(node.chain.head)
    },
  }
}

test('an empty block accesses the six system contracts, and not its fee recipient', async () => {
  const { call, chain } = await createChain()
  await call('preconf_advance', { blocks: 1 })
  expect(listOf(chain.head).map(({ address }) => address.slice(-4))).toEqual([
    '7002',
    '8282',
    '7251',
    '8282',
    '2935',
    'ac02',
  ])
})

test('the system’s address stands in the list as the recipient of fees, as any other does', async () => {
  const { call, chain, pay } = await createChain()
  await call('hardhat_setCoinbase', SYSTEM)
  const { baseFeePerGas = 0n } = chain.pending.environment
  const untipped = await pay({ maxFeePerGas: hex(2n * baseFeePerGas), maxPriorityFeePerGas: '0x0' })
  expect(of(untipped, SYSTEM)).toEqual({ address: SYSTEM, ...NONE })
  const tipped = await pay({ maxFeePerGas: hex(2n * baseFeePerGas), maxPriorityFeePerGas: '0x1' })
  expect(of(tipped, SYSTEM)).toMatchObject({ balanceChanges: [{ index: '0x1', value: '0x5208' }] })
  await call('preconf_advance', { blocks: 1 })
  expect(of(listOf(chain.head), SYSTEM)).toBeUndefined()
})

test('state cheats stand in no list, though what follows on them does', async () => {
  const { call, chain, pay } = await createChain()
  await call('hardhat_setBalance', STRANGER, '0x10')
  await call('preconf_advance', { blocks: 1 })
  expect(of(listOf(chain.head), STRANGER)).toBeUndefined()
  const list = await pay()
  expect(of(list, STRANGER)).toEqual({
    address: STRANGER,
    ...NONE,
    balanceChanges: [{ index: '0x1', value: '0x15' }],
  })
  // Behind a transaction of the same block, too.
  const { from } = await createChain()
  await call('eth_sendTransaction', { from, to: STRANGER, value: '0x1', gas: '0x100000' })
  await call('preconf_advance', { ticks: 1 })
  await call('hardhat_setBalance', STRANGER, '0x100')
  expect(of(await pay(), STRANGER)?.balanceChanges).toEqual([
    { index: '0x1', value: '0x16' },
    { index: '0x2', value: '0x105' },
  ])
})

test('withdrawals stand at the last index, those of nothing without a change', async () => {
  const chain = await AccessListChain.create(1)
  const [rich, none]: [Hex, Hex] = [`0x${'d1'.repeat(20)}`, `0x${'d2'.repeat(20)}`]
  const withdrawal = { index: 0n, validatorIndex: 0n }
  const block = await chain.seal(chain.open(), [
    { ...withdrawal, address: rich, amount: 2n },
    { ...withdrawal, address: none, amount: 0n },
    { ...withdrawal, address: rich, amount: 3n },
  ])
  const list = listOf(block)
  expect(of(list, rich)?.balanceChanges).toEqual([{ index: '0x1', value: hex(5n * 10n ** 9n) }])
  expect(of(list, none)).toEqual({ address: none, ...NONE })
})

test('a dropped transaction leaves the list, and what stood behind it moves up', async () => {
  const { call, chain, from } = await createChain()
  const other = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  const first = await call<Hex>('eth_sendTransaction', {
    from,
    to: STRANGER,
    value: '0x1',
    gas: '0x100000',
  })
  await call('eth_sendTransaction', { from: other, to: STRANGER, value: '0x2', gas: '0x100000' })
  await call('preconf_advance', { ticks: 1 })
  await call('hardhat_dropTransaction', first)
  const pending = await call<FormattedAccountAccess[]>('eth_getBlockAccessList', 'pending')
  expect(of(pending, STRANGER)?.balanceChanges).toEqual([{ index: '0x1', value: '0x2' }])
  expect(of(pending, from)).toBeUndefined()
  await call('preconf_advance', { blocks: 1 })
  expect(listOf(chain.head)).toEqual(expect.arrayContaining(pending))
})

test('a reverted snapshot takes the lists of its blocks along', async () => {
  const { call, chain, pay } = await createChain()
  await pay()
  const snapshot = await call('evm_snapshot')
  await pay()
  await call('evm_revert', snapshot)
  expect(await call('eth_getBlockAccessList', '0x2')).toBe(null)
  expect(await call('eth_getBlockAccessList', '0x1')).toEqual(listOf(chain.head))
  const list = await pay({ value: '0x7' })
  expect(of(list, STRANGER)?.balanceChanges).toEqual([{ index: '0x1', value: '0xc' }])
})
