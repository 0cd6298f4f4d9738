import { describe, expect, test } from 'vitest'
import { openingAccesses } from '../../../devnet/chain/building/blockAccesses.ts'
import { openBlock } from '../../../devnet/chain/building/openPendingBlock.ts'
import { Executor } from '../../../devnet/engine/executor.ts'
import { bigIntTo32Bytes } from '../../../devnet/primitives/bytes.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { isIdle, QUEUE_SLOTS, requestContracts } from '../../../devnet/protocol/requests.ts'
import { accessesBetween, Touched } from '../../../devnet/protocol/stepAccesses.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../devnet/protocol/systemContracts.ts'
import { createTestChain, type TestChain } from '../../support/chain.ts'
import { accessesText } from '../../support/executionOutcome.ts'

const ENGINES = ['fast', 'library'] as const

/** The accesses of system calls that run the contracts, on the state of a block's parent. */
async function called(
  { chain, engine: { crypto, codes } }: TestChain,
  engine: (typeof ENGINES)[number],
  calls: readonly (readonly [{ readonly address: string }, Uint8Array?])[],
): Promise<string[]> {
  const { environment } = chain.pending
  const { rules } = environment
  const executor = new Executor({ rules, crypto, codes, engine })
  const before = chain.store.view(environment.parent.version)
  return executor.use(before, chain.blockHashes, async (machine) => {
    const texts: string[] = []
    for (const [{ address }, data] of calls) {
      const { failure, accesses } = await executor.systemCall(
        machine,
        fromHex(address),
        environment,
        data,
      )
      expect(failure).toBeUndefined()
      texts.push(...accessesText(accesses ?? []))
    }
    return texts.sort()
  })
}

describe.each(ENGINES)('by the engine %s', (engine) => {
  test.each([
    ['zero', 0n],
    ['not zero', 5n],
  ])('the opening of a block accesses what its calls do, beacon root %s', async (_, root) => {
    const node = await createTestChain({ hardfork: 'amsterdam' })
    await node.clocks.advanceBlocks(3)
    const { chain } = node
    const { environment } = chain.pending
    const parentBeaconBlockRoot = bigIntTo32Bytes(root)
    const opened = openBlock({ ...environment, parentBeaconBlockRoot }, chain)
    expect(accessesText(await openingAccesses(opened, chain.store))).toEqual(
      await called(node, engine, [
        [BEACON_ROOTS, parentBeaconBlockRoot],
        [BLOCK_HASHES, environment.parent.hashBytes],
      ]),
    )
  })

  test('contracts with nothing to do access what their calls do', async () => {
    const node = await createTestChain({ hardfork: 'amsterdam' })
    const { environment, state } = node.chain.pending
    const touched = new Touched()
    for (const { key } of requestContracts(environment.rules)) {
      expect(isIdle(key, state)).toBe(true)
      touched.addAccount(key, QUEUE_SLOTS)
    }
    const idle = accessesText(accessesBetween(state, state, touched))
    expect(idle).toHaveLength(4)
    expect(idle).toEqual(
      await called(node, engine, [
        [WITHDRAWAL_REQUESTS],
        [CONSOLIDATION_REQUESTS],
        [BUILDER_DEPOSITS],
        [BUILDER_EXITS],
      ]),
    )
  })
})

test('contracts that are called are not idle', async () => {
  const node = await createTestChain({ hardfork: 'amsterdam' })
  const { environment, state } = node.chain.pending
  const busy = {
    account: state.account.bind(state),
    code: state.code.bind(state),
    hasOldStorage: state.hasOldStorage.bind(state),
    slots: state.slots.bind(state),
    slot: () => Uint8Array.of(1),
  }
  for (const { key } of requestContracts(environment.rules)) expect(isIdle(key, busy)).toBe(false)
})
