import { expect, onTestFinished, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import type { ProfileName } from '../../../../devnet/options/optionTable.ts'
import { profileOf } from '../../../../devnet/options/profileTable.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { EMPTY_ROOT } from '../../../../devnet/state/trie/persistentTrie.ts'
import { flashblocks } from '../../../../devnet/stream/raw/flashblock.ts'
import { ZERO_HASH } from '../../rpc/methods/rpcChain.ts'
import { createEmitterChain } from '../emitterChain.ts'
import type { Message } from './follower.ts'

const NO_WITHDRAWALS = toHex(EMPTY_ROOT)

/**
 * The messages of a block with an emitter's transaction, a cheat behind it and a transaction of an
 * impersonated account.
 */
async function messages(profile: ProfileName) {
  const node = await createEmitterChain({ profile })
  const { call, emit, seal, tick, chain } = node
  const texts: string[] = []
  const stop = flashblocks(profileOf(profile))(chain).add(({ text }) => texts.push(text.text))
  onTestFinished(stop)
  await seal()
  const stranger = `0x${'9a'.repeat(20)}`
  const hash = await emit(1)
  await tick()
  await call('hardhat_setBalance', stranger, '0xde0b6b3a7640000')
  await call('hardhat_impersonateAccount', stranger)
  const unsigned = await call<string>('eth_sendTransaction', { from: stranger, to: stranger })
  await tick()
  const every: Message[] = texts.map((text) => JSON.parse(text))
  const all = every.filter(({ metadata }) => metadata.block_number === 2)
  return { ...node, hash, unsigned, stranger, all }
}

test.each([
  ['plain', ZERO_HASH, NO_WITHDRAWALS],
  ['op-subblocks', ZERO_HASH, '0x'.padEnd(66, '0')],
  ['base-flashblocks', undefined, NO_WITHDRAWALS],
  ['unichain', undefined, NO_WITHDRAWALS],
  ['xlayer', undefined, NO_WITHDRAWALS],
] as const)('%s: the difference', async (profile, hash, withdrawalsRoot) => {
  const { all, call } = await messages(profile)
  // Only in profile plain, a cheat has a message of its own.
  expect(all.map(({ index }) => index)).toEqual(profile === 'plain' ? [0, 1, 2, 3] : [0, 1, 2])
  expect(all.filter((one) => 'base' in one)).toEqual(all.slice(0, 1))
  const hashes = all.map(({ diff }) => diff.block_hash)
  if (hash === undefined) {
    expect(hashes).not.toContain(ZERO_HASH)
    expect(new Set(hashes).size).toBe(3)
  } else expect(new Set(hashes)).toEqual(new Set([hash]))
  if (profile === 'xlayer') {
    const { hash: shown } = await call<FormattedBlock>('eth_getBlockByNumber', 'pending', false)
    expect(hashes.at(-1)).toBe(shown)
  }
  for (const { diff } of all) {
    expect(diff).toMatchObject({
      state_root: ZERO_HASH,
      withdrawals: [],
      withdrawals_root: withdrawalsRoot,
    })
  }
})

test('plain: the metadata are whole', async () => {
  const { all, hash, unsigned, stranger } = await messages('plain')
  const [opening, first, cheat, last] = all.map(({ metadata }) => metadata)
  expect(opening).toMatchObject({ block_number: 2, chain_id: '0x7a69', hardfork: 'bpo2' })
  expect(first?.receipts[hash as never]).toMatchObject({ type: '0x0', status: '0x1' })
  expect(cheat?.steps).toHaveLength(1)
  expect(last?.senders).toEqual({ [unsigned]: stranger })
})

test('base: the metadata are the number', async () => {
  const { all } = await messages('base-flashblocks')
  for (const { metadata } of all) expect(metadata).toEqual({ block_number: 2 })
})

test.each(['op-subblocks', 'unichain', 'xlayer'] as const)(
  '%s: the metadata are receipts and balances, without cheats and senders',
  async (profile) => {
    const { all, account, hash } = await messages(profile)
    const sender = account(0).address
    for (const { metadata } of all) {
      expect(Object.keys(metadata)).toEqual(['block_number', 'receipts', 'new_account_balances'])
    }
    const receipts = all[1]?.metadata.receipts
    const receipt = { status: '0x1', cumulativeGasUsed: expect.any(String), logs: [{}, {}] }
    expect(receipts).toMatchObject(
      profile === 'unichain'
        ? { [hash]: { Legacy: receipt } }
        : { [hash]: { type: '0x0', ...receipt } },
    )
    expect(Object.keys(all[1]?.metadata.new_account_balances ?? {})).toContain(sender)
  },
)

test('base: there is no stream', async () => {
  const { all } = await messages('base')
  expect(all).toEqual([])
})
