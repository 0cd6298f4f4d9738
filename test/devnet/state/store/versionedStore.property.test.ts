import fc from 'fast-check'
import { test } from 'vitest'
import { Codes } from '../../../../devnet/state/codes.ts'
import { RemoteLayer } from '../../../../devnet/state/remote/remoteLayer.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { runs } from '../../../support/longRuns.ts'
import { MemorySource } from '../../../support/memorySource.ts'
import { account, keccak256, newStore, slot } from '../support.ts'
import {
  ACCOUNTS,
  branchStep,
  command,
  play,
  playBranches,
  SLOTS,
  type State,
} from './storeModel.ts'

const commands = fc.array(command, { maxLength: 40, size: 'max' })

test('as a store that copies the state for each version', () => {
  fc.assert(
    fc.property(commands, (all) => play(all, newStore)),
    { seed: 1, numRuns: runs(300) },
  )
})

const forkState: fc.Arbitrary<State> = fc.array(
  fc.record({
    nonce: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    slots: fc.array(fc.nat({ max: 2 }), { minLength: SLOTS, maxLength: SLOTS }),
  }),
  { minLength: ACCOUNTS, maxLength: ACCOUNTS },
)

/** A layer over this state, which knows nothing; `load` makes one value known. */
function forkOf(state: State) {
  const layer = new RemoteLayer(new MemorySource(), new Codes(keccak256))
  const code = new Uint8Array(0)
  const load = (which: number) => {
    const [index, at] = [which % ACCOUNTS, Math.floor(which / ACCOUNTS) % (1 + SLOTS)]
    const { nonce, slots } = state[index] ?? { nonce: undefined, slots: [] }
    const key = account(index)
    if (at === SLOTS) {
      const record = nonce === undefined ? null : { nonce: BigInt(nonce), balance: 0n, code }
      layer.learn({ accounts: [key], slots: [] }, { accounts: [record], slots: [] })
    } else {
      const value = Uint8Array.of(slots[at] ?? 0).filter(Boolean)
      layer.learn({ accounts: [], slots: [[key, slot(at)]] }, { accounts: [], slots: [value] })
    }
  }
  return { layer, state, load }
}

test('on a fork block, whose values become known sooner or later, it is the same', () => {
  fc.assert(
    fc.property(commands, forkState, (all, state) => {
      const fork = forkOf(state)
      play(all, () => new VersionedStore(new Codes(keccak256), 0, fork.layer), fork)
    }),
    { seed: 1, numRuns: runs(600) },
  )
})

const steps = fc.array(branchStep, { maxLength: 60, size: 'max' })

test('branches, and branches of branches, neither see another nor what became of their parent', () => {
  fc.assert(
    fc.property(steps, (all) => playBranches(all, newStore)),
    { seed: 1, numRuns: runs(600) },
  )
})

test('on a fork block, branches are the same', () => {
  fc.assert(
    fc.property(steps, forkState, (all, state) => {
      const fork = forkOf(state)
      playBranches(all, () => new VersionedStore(new Codes(keccak256), 0, fork.layer), fork)
    }),
    { seed: 1, numRuns: runs(600) },
  )
})
