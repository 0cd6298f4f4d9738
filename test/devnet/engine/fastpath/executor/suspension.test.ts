import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../../../devnet/engine/crypto.ts'
import { Executor } from '../../../../../devnet/engine/executor.ts'
import { forkRules } from '../../../../../devnet/protocol/forks.ts'
import { Codes } from '../../../../../devnet/state/codes.ts'
import { addressKey } from '../../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../../devnet/state/store/versionedStore.ts'
import type { LazyReads, StateReader } from '../../../../../devnet/state/types.ts'
import { runs } from '../../../../support/longRuns.ts'
import { Random } from '../../../../support/random.ts'
import { stateChanges } from '../../../../support/stateChanges.ts'
import { CodeMaker, randomTransaction } from './randomTransactions.ts'
import { BLOCK, CHAIN_ID, createWorld } from './randomWorld.ts'

/** A state whose every `nth` value has to be fetched before it is read. */
class SlowState implements StateReader {
  readonly lazyReads: LazyReads
  readonly #state: StateReader
  readonly #known = new Set<unknown>()
  readonly #nth: number
  /** Values that were waited for. */
  fetched = 0
  #reads = 0

  constructor(state: StateReader, nth: number) {
    this.#state = state
    this.#nth = nth
    this.lazyReads = {
      account: (key) => this.#wait(key),
      slot: (key, slot) => this.#wait(key + slot),
      code: (codeHash) => this.#wait(codeHash),
      all: ({ accounts, slots }) => {
        const waits = [
          ...accounts.map((key) => this.#wait(key)),
          ...slots.map(([key, slot]) => this.#wait(key + slot)),
        ].filter((wait) => wait !== undefined)
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
      },
    }
  }

  #wait(value: unknown): Promise<void> | undefined {
    if (this.#known.has(value) || ++this.#reads % this.#nth > 0) return undefined
    return turn().then(() => {
      this.fetched++
      this.#known.add(value)
    })
  }

  account = (...key: Parameters<StateReader['account']>) => this.#state.account(...key)
  slot = (...key: Parameters<StateReader['slot']>) => this.#state.slot(...key)
  hasStorage = (...key: Parameters<StateReader['hasStorage']>) => this.#state.hasStorage(...key)
  slots = (...key: Parameters<StateReader['slots']>) => this.#state.slots(...key)
  code = (...hash: Parameters<StateReader['code']>) => this.#state.code(...hash)
}

test.each([1, 2, 3])(
  'behavior: an execution that waits for every value in %i is the same, seed 11',
  async (nth) => {
    const crypto = await loadCrypto()
    const random = new Random(11)
    const rules = forkRules('bpo2')
    const codes = new Codes(crypto.keccak256)
    const executor = new Executor({ chainId: CHAIN_ID, rules, crypto, codes, engine: 'fast' })
    const maker = new CodeMaker(random, crypto)
    const hash = (number: bigint) => new Uint8Array(32).fill(Number(number % 251n))
    const machine = await executor.acquire(new VersionedStore(codes).view(), hash)
    let fetched = 0
    let hashes = 0
    for (let index = 0; index < runs(1000); index++) {
      const { view, nonces } = createWorld(random, maker, { crypto, codes }, random.once(2))
      const { fields } = randomTransaction(random, crypto, rules, maker, nonces)
      const slow = new SlowState(view, nth)
      machine.reset(view, hash)
      const expected = await executor.run(machine, fields, BLOCK).catch(String)
      const expectedChanges = stateChanges(machine.overlay, view)
      machine.reset(slow, async (number) => {
        hashes++
        await turn()
        return hash(number)
      })
      expect(await executor.run(machine, fields, BLOCK).catch(String)).toEqual(expected)
      expect(stateChanges(machine.overlay, view)).toEqual(expectedChanges)
      fetched += slow.fetched
      if (nth === 1) expect(slow.lazyReads.account(addressKey(fields.from))).toBeUndefined()
    }
    expect(fetched).toBeGreaterThan(50)
    expect(hashes).toBeGreaterThan(0)
  },
)

test('behavior: a value that cannot be fetched ends the execution with its error', async () => {
  const crypto = await loadCrypto()
  const random = new Random(12)
  const rules = forkRules('bpo2')
  const codes = new Codes(crypto.keccak256)
  const executor = new Executor({ chainId: CHAIN_ID, rules, crypto, codes, engine: 'fast' })
  const maker = new CodeMaker(random, crypto)
  const { view, nonces } = createWorld(random, maker, { crypto, codes }, false)
  const { fields } = randomTransaction(random, crypto, rules, maker, nonces)
  const lost: LazyReads = {
    account: () => Promise.reject(new Error('upstream is gone')),
    slot: () => undefined,
    code: () => undefined,
    all: () => undefined,
  }
  const machine = await executor.acquire(view, () => new Uint8Array(32))
  machine.reset(Object.assign(Object.create(view), { lazyReads: lost }), () => new Uint8Array(32))
  await expect(executor.run(machine, fields, BLOCK)).rejects.toThrow('upstream is gone')
})
