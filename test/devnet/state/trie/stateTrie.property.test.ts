import { Common, Mainnet } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account, Address, KECCAK256_RLP } from '@ethereumjs/util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LibraryState } from '../../../../devnet/engine/library/libraryState.ts'
import { textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { StateTrie } from '../../../../devnet/state/trie/stateTrie.ts'
import { runs } from '../../../support/longRuns.ts'
import { account, keccak256, newStore, slot } from '../support.ts'

const ACCOUNTS = 4
const SLOTS = 5
const common = new Common({ chain: Mainnet, customCrypto: { keccak256 } })
const addresses = Array.from(
  { length: ACCOUNTS },
  (_, index) => new Address(textToBytes(account(index))),
)
const keys = Array.from({ length: SLOTS }, (_, index) => textToBytes(slot(index)))

type Write =
  | { do: 'put'; at: number; nonce: bigint; balance: bigint }
  | { do: 'pay'; at: number; balance: bigint }
  | { do: 'code'; at: number; code: Uint8Array }
  | { do: 'store'; at: number; slot: number; value: Uint8Array }
  | { do: 'clear' | 'delete'; at: number }
  | { do: 'checkpoint' | 'commit' | 'revert' | 'seal' }

const at = fc.nat({ max: ACCOUNTS - 1 })
const small = fc.bigInt({ min: 0n, max: 2n })
const large = fc.bigInt({ min: 0n, max: 2n ** 255n })
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('put' as const), at, nonce: small, balance: large }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pay' as const), at, balance: small }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('code' as const),
      at,
      code: fc.uint8Array({ maxLength: 2 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      at,
      slot: fc.nat({ max: SLOTS - 1 }),
      value: fc.oneof(
        fc.uint8Array({ maxLength: 2 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('checkpoint' as const, 'commit' as const, 'revert' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('seal' as const) }) },
)

type Manager = LibraryState | MerkleStateManager

/** Both managers are written to as the EVM does it: accounts are read, changed and put back. */
async function perform(manager: Manager, write: Write): Promise<void> {
  if (!('at' in write)) return write.do === 'seal' ? undefined : manager[write.do]()
  const address = addresses[write.at]
  if (address === undefined) throw new Error('no such address')
  const before = await manager.getAccount(address)
  if (write.do === 'put') {
    const changed = before ?? new Account()
    changed.nonce = write.nonce
    changed.balance = write.balance
    return manager.putAccount(address, changed)
  }
  if (write.do === 'pay') return manager.modifyAccountFields(address, { balance: write.balance })
  if (write.do === 'code') return manager.putCode(address, write.code)
  // The library's manager makes an account by a clear, refuses slots without one, and keeps those
  // of a deleted one.
  if (before === undefined) return
  if (write.do === 'store') {
    return manager.putStorage(address, keys[write.slot] ?? new Uint8Array(32), write.value)
  }
  // Without a nonce it would be a creation, which keeps the slots of the same overlay.
  if (write.do === 'clear' && before.nonce === 0n) return
  await manager.clearStorage(address)
  if (write.do === 'delete') await manager.deleteAccount(address)
}

async function reads(manager: Manager) {
  return Promise.all(
    addresses.map(async (address) => {
      const found = await manager.getAccount(address)
      if (found === undefined) return undefined
      return {
        nonce: found.nonce,
        balance: found.balance,
        codeHash: found.codeHash,
        code: await manager.getCode(address),
        codeSize: await manager.getCodeSize(address),
        slots: await Promise.all(keys.map((key) => manager.getStorage(address, key))),
      }
    }),
  )
}

async function play(writes: readonly Write[]): Promise<void> {
  const store = newStore()
  const overlay = new Overlay(store.view(), store.codes)
  const library = new LibraryState(overlay, common)
  const merkle = new MerkleStateManager({ common })
  let trie = StateTrie.empty(keccak256)
  const sealed: { trie: StateTrie; root: Uint8Array; storageRoots: (Uint8Array | undefined)[] }[] =
    []
  let depth = 0

  const seal = async () => {
    const diff = overlay.takeDiff()
    trie = trie.apply(diff, store.view(store.commit(diff)))
    overlay.reset(store.view())
    sealed.push({
      trie,
      root: await merkle.getStateRoot(),
      storageRoots: await Promise.all(
        addresses.map(async (address) => (await merkle.getAccount(address))?.storageRoot),
      ),
    })
  }

  for (const write of writes) {
    if ((write.do === 'commit' || write.do === 'revert') && depth === 0) continue
    if (write.do === 'seal') {
      if (depth === 0) await seal()
      continue
    }
    depth += write.do === 'checkpoint' ? 1 : write.do === 'commit' || write.do === 'revert' ? -1 : 0
    await perform(library, write)
    await perform(merkle, write)
    if (write.do === 'commit' || write.do === 'revert') {
      expect(await reads(library)).toEqual(await reads(merkle))
    }
  }
  for (; depth > 0; depth--) {
    await library.commit()
    await merkle.commit()
  }
  expect(await reads(library)).toEqual(await reads(merkle))
  await seal()
  // Only now: the tries of older states are hashed after newer ones were made of them.
  for (const { trie, root, storageRoots } of sealed) {
    expect(trie.root()).toEqual(root)
    storageRoots.forEach((storageRoot, index) => {
      expect(trie.storageRoot(account(index))).toEqual(storageRoot ?? KECCAK256_RLP)
    })
  }
}

test('reads and roots as MerkleStateManager', async () => {
  await fc.assert(fc.asyncProperty(fc.array(write, { maxLength: 60, size: 'max' }), play), {
    seed: 2,
    numRuns: runs(300),
  })
})
