import { type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { useArena } from './arena.ts'
import { type Case, play } from './cases.ts'
import { record } from './values.ts'
import type { World } from './world.ts'

const world = useArena('npx vitest run test/integration/edr/refusedSends.test.ts')

/** Keys of the accounts that send here; account 2 is as at genesis. */
const SENDER: Hex = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const signer = privateKeyToAccount(
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
)
const DEPLOYER: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const GWEI = 10n ** 9n
const CAPS = { maxFeePerGas: numberToHex(5n * GWEI), maxPriorityFeePerGas: '0x1' } as const
const GOOD = { from: SENDER, to: TO, gas: '0x5208', ...CAPS }

type Sent = Pick<Case, 'name' | 'only' | 'before'> & { readonly fields: object }

const BY_THE_NODE: readonly Sent[] = [
  { name: 'a nonce that is used up', fields: { from: DEPLOYER, nonce: '0x0' } },
  { name: 'more value than there is', fields: { value: numberToHex(2n ** 90n) } },
  { name: 'more gas than can be paid', fields: { maxFeePerGas: numberToHex(2n ** 70n) } },
  { name: 'less gas than a transfer needs', fields: { gas: '0x5207' } },
  { name: 'less gas than its data needs', fields: { data: '0x00' } },
  {
    name: 'less gas than its access list needs',
    fields: { accessList: [{ address: TO, storageKeys: [] }] },
  },
  { name: 'no gas', fields: { gas: '0x0' } },
  { name: 'more gas than a transaction may have', fields: { gas: '0x1000001' } },
  { name: 'more gas than a block has', fields: { gas: '0xffffffff' } },
  { name: 'a tip above the cap', fields: { maxPriorityFeePerGas: numberToHex(6n * GWEI) } },
  { name: 'both kinds of fees', fields: { gasPrice: '0x1' } },
  { name: 'an unknown account', fields: { from: '0x00000000000000000000000000000000000000ff' } },
  { name: 'neither recipient nor data', fields: { to: undefined } },
  { name: 'another chain', fields: { chainId: '0x1' } },
  { name: 'no authorization', fields: { authorizationList: [], gas: '0x30d40' } },
  { name: 'an address too short', fields: { to: '0x12' } },
  { name: 'data of half a byte', fields: { data: '0x1' } },
  { name: 'a negative value', fields: { value: '-1' } },
  { name: 'data that is not its input', fields: { data: '0x01', input: '0x02' } },
  {
    name: 'a cap below the base fee',
    fields: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' },
    only: {
      refuses: 'ours',
      why: 'as anvil: nothing waits here that the next tick would not take',
    },
  },
  {
    name: 'the highest nonce',
    fields: { nonce: '0xffffffffffffffff' },
    only: { refuses: 'ours', why: 'EIP-2681: it could never run' },
  },
  {
    name: 'a type that is none',
    fields: { type: '0x9' },
    only: { refuses: 'ours', why: 'EDR does not look at the type' },
  },
]

describe('eth_sendTransaction', () => {
  test.each(BY_THE_NODE)('$name', ({ fields, ...one }) =>
    play(world(), { ...one, method: 'eth_sendTransaction', params: [{ ...GOOD, ...fields }] }),
  )
})

interface Signed extends Omit<Sent, 'fields'> {
  readonly raw: () => Promise<Hex>
}

type Fields = Partial<{
  nonce: number
  to: Hex | undefined
  value: bigint
  gas: bigint
  data: Hex
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  chainId: number
}>

const sign = (fields: Fields = {}): Promise<Hex> =>
  signer.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce: 0,
    to: TO,
    gas: 21_000n,
    maxFeePerGas: 5n * GWEI,
    maxPriorityFeePerGas: 1n,
    ...fields,
  })

const sent =
  (fields: Fields = {}) =>
  async ({ duel }: World): Promise<void> => {
    await duel.result('eth_sendRawTransaction', [await sign(fields)])
  }

const SIGNED: readonly Signed[] = [
  { name: 'nothing', raw: async () => '0x' },
  { name: 'no RLP', raw: async () => '0x02c0' },
  { name: 'a type that is none', raw: async () => '0x00' },
  { name: 'half a transaction', raw: async () => slice(await sign(), -20) },
  { name: 'another chain', raw: () => sign({ chainId: 1 }) },
  { name: 'more value than there is', raw: () => sign({ value: 2n ** 90n }) },
  {
    name: 'less gas than the floor of its data',
    raw: () => sign({ data: `0x${'01'.repeat(1000)}`, gas: 37_100n }),
  },
  {
    name: 'code to begin with of 49,153 bytes',
    raw: () => sign({ to: undefined, data: `0x${'00'.repeat(49_153)}`, gas: 5_000_000n }),
  },
  { name: 'the same again', before: sent(), raw: () => sign() },
  {
    name: 'the same again, behind a gap',
    before: sent({ nonce: 5 }),
    raw: () => sign({ nonce: 5 }),
  },
  {
    name: 'another in its place that pays no more',
    before: sent(),
    raw: () => sign({ value: 1n }),
  },
  {
    name: 'another in its place that pays 9 % more',
    before: sent(),
    raw: () => sign({ maxFeePerGas: 5n * GWEI + 450_000_000n }),
  },
  {
    name: 'the same again after it was sealed',
    before: async (world) => {
      await sent()(world)
      await world.duel.result('evm_mine')
    },
    raw: () => sign(),
  },
  {
    name: 'another in the place of one that is pre-confirmed',
    before: async (world) => {
      await sent()(world)
      await world.duel.own('preconf_advance', { ticks: 1 })
    },
    raw: () => sign({ value: 1n, maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 9n }),
    only: { refuses: 'ours', why: 'pre-confirmed has a fixed order' },
  },
]

describe('eth_sendRawTransaction', () => {
  test.each(SIGNED)('$name', ({ raw, ...one }) =>
    play(world(), { ...one, method: 'eth_sendRawTransaction', params: async () => [await raw()] }),
  )
})

test('one that pays 10 % more takes the place of another', async () => {
  const { duel } = world()
  duel.begin('replacement')
  const id = await duel.result('evm_snapshot')
  await sent()(world())
  const raise = { maxFeePerGas: 5n * GWEI + 500_000_000n, maxPriorityFeePerGas: 2n }
  const hash = await duel.result('eth_sendRawTransaction', [await sign({ value: 1n, ...raise })])
  await duel.result('evm_mine')
  const block = record(await duel.result('eth_getBlockByNumber', ['latest', false], transactionsOf))
  expect(block.transactions).toEqual([hash])
  await duel.result('evm_revert', [id])
})

const transactionsOf = (block: unknown) => record(block).transactions

function slice(hex: Hex, end: number): Hex {
  return `0x${hex.slice(2, end)}`
}
