import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../devnet/engine/crypto.ts'
import { Executor } from '../../../devnet/engine/executor.ts'
import type { Machine } from '../../../devnet/engine/machine.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import type { TransactionFields } from '../../../devnet/protocol/transaction.ts'
import { isEmptyAccount } from '../../../devnet/state/accounts.ts'
import { Codes } from '../../../devnet/state/codes.ts'
import { addressKey, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { RemoteLayer } from '../../../devnet/state/remote/remoteLayer.ts'
import { VersionedStore } from '../../../devnet/state/store/versionedStore.ts'
import type { StateReader } from '../../../devnet/state/types.ts'
import { executionOutcome, isRefusal } from '../../support/executionOutcome.ts'
import { runs } from '../../support/longRuns.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { Random } from '../../support/random.ts'
import { stateChanges } from '../../support/stateChanges.ts'
import {
  COINBASE,
  CodeMaker,
  EMPTY,
  PROGRAMS,
  type RandomTransaction,
  RICH,
  randomTransaction,
  senders,
  shortAddress,
} from './fast/randomTransactions.ts'
import { BLOCK, createWorld } from './fast/randomWorld.ts'

/** As an upstream tells of a state: empty accounts do not exist. */
function withoutEmpty(state: StateReader): StateReader {
  return {
    account(key) {
      const record = state.account(key)
      return record === null || isEmptyAccount(record) ? null : record
    },
    slot: (key, slot) => state.slot(key, slot),
    hasOldStorage: (key) => state.hasOldStorage(key),
    slots: (key) => state.slots(key),
    code: (codeHash) => state.code(codeHash),
  }
}

test.for([
  ['fast', 'bpo2'],
  ['library', 'bpo2'],
  ['fast', 'amsterdam'],
  ['library', 'amsterdam'],
] as const)(
  'a transaction on a fork block is the same as on the whole state, %s engine, %s, seed 21',
  async ([engine, hardfork]) => {
    const crypto = await loadCrypto()
    const random = new Random(21)
    const rules = forkRules(hardfork)
    const codes = new Codes(crypto.keccak256)
    const executor = new Executor({ rules, crypto, codes, engine })
    const maker = new CodeMaker(random, crypto)
    const hash = (number: bigint) => new Uint8Array(32).fill(Number(number % 251n))
    const plain = await executor.acquire(new VersionedStore(codes).view(), hash)
    const machine = await executor.acquire(new VersionedStore(codes).view(), hash)
    const addresses = [...PROGRAMS, RICH, EMPTY, COINBASE].map(shortAddress)
    const accounts = [...addresses, ...senders(crypto)].map(addressKey)
    const slots = accounts.flatMap((key) =>
      [0n, 1n, 2n, 3n].map((slot) => [key, slotKeyFromBigInt(slot)] as const),
    )
    const run = async (on: Machine, { fields, options }: RandomTransaction) => {
      try {
        return executionOutcome(
          options === undefined
            ? await executor.run(on, fields, BLOCK)
            : await executor.call(on, fields, BLOCK, options),
        )
      } catch (error) {
        if (isRefusal(error)) return 'refused'
        throw error
      }
    }
    let asked = 0
    for (let index = 0; index < runs(engine === 'fast' ? 3000 : 600, 40); index++) {
      const world = createWorld(random, maker, { crypto, codes, rules }, random.once(2))
      const state = withoutEmpty(world.view)
      const source = new MemorySource(state)
      const remote = new RemoteLayer(source, codes)
      const fork = new VersionedStore(codes, 0, remote)
      // Some values are known already.
      const known = { accounts: accounts.filter(() => random.once(3)), slots: slots.slice(0, 9) }
      if (random.once(2)) await remote.load(known)
      source.delay = async () => {
        for (let turns = random.below(3); turns > 0; turns--) await turn()
      }
      plain.reset(state, hash)
      machine.reset(fork.view(), async (number) => hash(number))
      for (let count = 0; count < 2; count++) {
        const transaction = randomTransaction(random, crypto, rules, maker, world.nonces)
        const expected = await run(plain, transaction)
        expect(await run(machine, transaction)).toEqual(expected)
        if (expected === 'refused') break
      }
      asked += source.asked.length
      await remote.load({ accounts, slots })
      expect(stateChanges(machine.overlay, state)).toEqual(stateChanges(plain.overlay, state))
    }
    expect(asked).toBeGreaterThan(100)
  },
)

test.each(['fast', 'library'] as const)(
  'nothing is asked for the storage of a new contract, %s engine',
  async (engine) => {
    const crypto = await loadCrypto()
    const codes = new Codes(crypto.keccak256)
    const rules = forkRules('bpo2')
    const executor = new Executor({ rules, crypto, codes, engine })
    const [sender = new Uint8Array(20)] = senders(crypto)
    const source = new MemorySource()
    source.accounts.set(addressKey(sender), { nonce: 1n, balance: 10n ** 18n, code: NOTHING })
    const remote = new RemoteLayer(source, codes)
    const view = new VersionedStore(codes, 0, remote).view()
    const machine = await executor.acquire(view, () => new Uint8Array(32))
    const fields: TransactionFields = {
      type: 0,
      from: sender,
      to: undefined,
      nonce: 1n,
      gasLimit: 200_000n,
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 7n,
      maxFeePerBlobGas: 0n,
      value: 0n,
      // Sets slot 1 to 2 and slot 3 to 0, and leaves the code STOP.
      data: fromHex('0x600260015560006003556001600060f3'),
      accessList: [],
      authorizationList: [],
      blobVersionedHashes: [],
    }
    const { createdAddress = NOTHING, success } = await executor.run(machine, fields, BLOCK)
    expect(success).toBe(true)
    const created = addressKey(createdAddress)
    expect(source.asked.flatMap(({ slots }) => slots)).toEqual([])
    source.setSlot(created, slotKeyFromBigInt(9n), Uint8Array.of(1))
    const { lazyReads } = machine.overlay
    expect(lazyReads?.slot(created, slotKeyFromBigInt(9n))).toBeUndefined()
    expect(machine.overlay.slot(created, slotKeyFromBigInt(9n))).toHaveLength(0)
    expect(machine.overlay.slot(created, slotKeyFromBigInt(1n))).toEqual(Uint8Array.of(2))
  },
)

const NOTHING = new Uint8Array(0)
