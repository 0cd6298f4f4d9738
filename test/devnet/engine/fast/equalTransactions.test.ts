import { beforeAll, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Executor } from '../../../../devnet/engine/executor.ts'
import type { Machine } from '../../../../devnet/engine/machine.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { forkRules, type HardforkName } from '../../../../devnet/protocol/forks.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKey } from '../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import {
  executionOutcome,
  isRefusal,
  judged,
  recordAccesses,
} from '../../../support/executionOutcome.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { stateChanges } from '../../../support/stateChanges.ts'
import {
  CodeMaker,
  PROGRAMS,
  type RandomTransaction,
  randomTransaction,
  shortAddress,
} from './randomTransactions.ts'
import { BLOCK, createWorld, type World } from './randomWorld.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

async function play(
  executor: Executor,
  machine: Machine,
  { fields, options }: RandomTransaction,
  { view }: World,
) {
  machine.reset(view, blockHashes)
  const { accesses: heard, onAccess } = recordAccesses()
  try {
    const execution =
      options === undefined
        ? await executor.run(machine, fields, BLOCK)
        : await executor.call(machine, fields, BLOCK, { ...options, onAccess })
    const changes = stateChanges(machine.overlay, view)
    const { emission, ...outcome } = executionOutcome(execution)
    // The library counts the log of a SELFDESTRUCT (EIP-7708) before the gas that it lacks, and none
    // of a precompile that fails.
    const counted = executor.rules.transferLogs ? undefined : emission
    return { ...outcome, emission: counted, changes, heard: [...heard].sort() }
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    throw error
  }
}

const blockHashes = (number: bigint) => new Uint8Array(32).fill(Number(number % 251n))

/** `npm test` plays one world in so many: of the newest hardforks, and of the older ones. */
const NEWEST = 54
const OLDER = 40

test.for<readonly [HardforkName, number, number]>([
  ['amsterdam', 9, runs(15_000, 400)],
  ['bpo2', 1, runs(6_000, NEWEST)],
  ['prague', 2, runs(4_000, NEWEST)],
  ['cancun', 3, runs(3_000, NEWEST)],
  ['shanghai', 4, runs(1_200, OLDER)],
  ['paris', 8, runs(1_200, OLDER)],
  ['london', 6, runs(1_200, OLDER)],
  ['berlin', 7, runs(1_200, OLDER)],
])(
  'agrees with the library on random transactions, %s, seed %i',
  { timeout: 1_200_000 },
  async ([hardfork, seed, count]) => {
    const random = new Random(seed)
    const rules = forkRules(hardfork)
    const codes = new Codes(crypto.keccak256)
    const parts = { rules, crypto, codes }
    const maker = new CodeMaker(random, crypto)
    const empty = new VersionedStore(codes).view()
    const fast = new Executor({ ...parts, engine: 'fast' })
    const library = new Executor({ ...parts, engine: 'library' })
    const machine = await fast.acquire(empty, blockHashes)
    const judge = await library.acquire(empty, blockHashes)
    const { evm } = await judge.library()
    const failures = new Map<string | undefined, number>()
    for (let index = 0; index < count; index++) {
      const delegates = rules.requests && random.once(2)
      const world = createWorld(random, maker, parts, delegates)
      for (let turn = 0; turn < 3; turn++) {
        const transaction = randomTransaction(random, crypto, rules, maker, world.nonces)
        const { result: expected, isMistaken } = await judged(evm, () =>
          play(library, judge, transaction, world),
        )
        if (isMistaken) continue
        const got = await play(fast, machine, transaction, world)
        expect(got, `world ${index}, transaction ${turn}: ${describe(transaction, world)}`).toEqual(
          expected,
        )
        const name = typeof expected === 'string' ? expected : expected.failure
        failures.set(name, (failures.get(name) ?? 0) + 1)
      }
    }
    // The runs reach what they are for.
    for (const name of [undefined, 'halt', 'revert']) expect(failures.get(name)).toBeGreaterThan(0)
  },
)

function describe({ fields, options }: RandomTransaction, { view }: World): string {
  const codes = PROGRAMS.map((program) => {
    const account = view.account(addressKey(shortAddress(program)))
    return account === null ? '' : toHex(view.code(account.codeHash))
  })
  const plain = (_: string, value: unknown) =>
    value instanceof Uint8Array ? toHex(value) : typeof value === 'bigint' ? `${value}` : value
  return JSON.stringify({ fields, options, codes }, plain)
}
