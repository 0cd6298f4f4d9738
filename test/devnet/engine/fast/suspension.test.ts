import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Executor } from '../../../../devnet/engine/executor.ts'
import type { CallExecution, Execution } from '../../../../devnet/engine/types.ts'
import { forkRules, type HardforkName } from '../../../../devnet/protocol/forks.ts'
import type { TransactionFields } from '../../../../devnet/protocol/transaction.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKey } from '../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import type { LazyReads, StateReader } from '../../../../devnet/state/types.ts'
import { recordAccesses } from '../../../support/executionOutcome.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { stateChanges } from '../../../support/stateChanges.ts'
import { CodeMaker, randomTransaction } from './randomTransactions.ts'
import { BLOCK, createWorld } from './randomWorld.ts'

/** A state whose every `nth` value has to be fetched before it is read. */
class SlowState implements StateReader {
  readonly lazyReads: LazyReads
  readonly #state: StateReader
  readonly #known = new Set<unknown>()
  readonly #nth: number
  readonly #fetch: () => Promise<void>
  /** Values that were waited for. */
  fetched = 0
  #reads = 0

  constructor(state: StateReader, nth: number, fetch: () => Promise<void> = turn) {
    this.#state = state
    this.#nth = nth
    this.#fetch = fetch
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
    return this.#fetch().then(() => {
      this.fetched++
      this.#known.add(value)
    })
  }

  account = (...key: Parameters<StateReader['account']>) => this.#state.account(...key)
  slot = (...key: Parameters<StateReader['slot']>) => this.#state.slot(...key)
  hasOldStorage = (...key: Parameters<StateReader['hasOldStorage']>) =>
    this.#state.hasOldStorage(...key)
  slots = (...key: Parameters<StateReader['slots']>) => this.#state.slots(...key)
  code = (...hash: Parameters<StateReader['code']>) => this.#state.code(...hash)
}

const hash = (number: bigint) => new Uint8Array(32).fill(Number(number % 251n))

/** A machine of the fast engine, and random worlds with a transaction each. */
async function createRandomMachine(seed: number, hardfork: HardforkName = 'bpo2') {
  const crypto = await loadCrypto()
  const random = new Random(seed)
  const rules = forkRules(hardfork)
  const codes = new Codes(crypto.keccak256)
  const executor = new Executor({ rules, crypto, codes, engine: 'fast' })
  const maker = new CodeMaker(random, crypto)
  const machine = await executor.acquire(new VersionedStore(codes).view(), hash)
  const next = () => {
    const { view, nonces } = createWorld(random, maker, { crypto, codes, rules }, random.once(2))
    const { fields } = randomTransaction(random, crypto, rules, maker, nonces)
    return { view, fields }
  }
  const ways: readonly ((
    fields: TransactionFields,
  ) => Promise<Execution | CallExecution | string>)[] = [
    (fields) => (async () => executor.run(machine, fields, BLOCK))().catch(String),
    async (fields) => {
      const { accesses: heard, onAccess } = recordAccesses()
      const options = { traceTransfers: true, onAccess }
      const call = async () => executor.call(machine, fields, BLOCK, options)
      return call().then((execution) => ({ ...execution, heard }), String)
    },
  ]
  return { machine, next, ways }
}

test.for([
  [1, 'bpo2'],
  [2, 'bpo2'],
  [3, 'bpo2'],
  [1, 'amsterdam'],
] as const)(
  'a transaction and a call that wait for every value in %i are the same, %s, seed 11',
  async ([nth, hardfork]) => {
    const { machine, next, ways } = await createRandomMachine(11, hardfork)
    let fetched = 0
    let hashes = 0
    let reported = 0
    for (let index = 0; index < runs(2000, 40); index++) {
      const { view, fields } = next()
      for (const execute of ways) {
        const slow = new SlowState(view, nth)
        machine.reset(view, hash)
        const expected = await execute(fields)
        const expectedChanges = stateChanges(machine.overlay, view)
        machine.reset(slow, async (number) => {
          hashes++
          await turn()
          return hash(number)
        })
        expect(await execute(fields)).toEqual(expected)
        expect(stateChanges(machine.overlay, view)).toEqual(expectedChanges)
        fetched += slow.fetched
        if (nth === 1) expect(slow.lazyReads.account(addressKey(fields.from))).toBeUndefined()
        if (typeof expected === 'object' && 'tracedLogs' in expected) {
          reported += expected.tracedLogs.length - expected.logs.length
        }
      }
    }
    expect(fetched).toBeGreaterThan(100)
    expect(hashes).toBeGreaterThan(0)
    expect(reported).toBeGreaterThan(0)
  },
)

test('a withdrawal during a wait ends the execution, and the machine goes on, seed 13', async () => {
  const { machine, next, ways } = await createRandomMachine(13)
  let withdrawals = 0
  for (let index = 0; index < runs(800, 40); index++) {
    const { view, fields } = next()
    for (const execute of ways) {
      machine.reset(view, hash)
      const expected = await execute(fields)
      const expectedChanges = stateChanges(machine.overlay, view)
      // At the first wait, at the second, and so on, until there are no more.
      for (let last = 1, isOver = false; !isOver; last++) {
        const abort = new AbortController()
        let waits = 0
        const slow = new SlowState(view, 1, async () => {
          if (++waits < last) return turn()
          void turn().then(() => abort.abort())
          await new Promise<never>(() => {})
        })
        machine.reset(slow, hash)
        machine.scheduler.begin({ signal: abort.signal })
        const result = await execute(fields)
        isOver = waits < last
        if (isOver) {
          expect(result).toEqual(expected)
          expect(stateChanges(machine.overlay, view)).toEqual(expectedChanges)
        } else {
          expect(result).toBe(
            'ExecutionAbortedError: execution aborted (the request was withdrawn)',
          )
          expect(stateChanges(machine.overlay, view)).toEqual([])
          withdrawals++
        }
      }
    }
  }
  expect(withdrawals).toBeGreaterThan(100)
})

test('a value that cannot be fetched ends the execution with its error', async () => {
  const crypto = await loadCrypto()
  const random = new Random(12)
  const rules = forkRules('bpo2')
  const codes = new Codes(crypto.keccak256)
  const executor = new Executor({ rules, crypto, codes, engine: 'fast' })
  const maker = new CodeMaker(random, crypto)
  const { view, nonces } = createWorld(random, maker, { crypto, codes, rules }, false)
  const { fields } = randomTransaction(random, crypto, rules, maker, nonces)
  const lost: LazyReads = {
    account: () => Promise.reject(new Error('upstream is gone')),
    slot: () => undefined,
    code: () => undefined,
    all: () => undefined,
  }
  const machine = await executor.acquire(view, () => new Uint8Array(32))
  machine.reset(Object.assign(Object.create(view), { lazyReads: lost }), () => new Uint8Array(32))
  await expect(async () => executor.run(machine, fields, BLOCK)).rejects.toThrow('upstream is gone')
})
