import type { Engine } from '../../engine/engine.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import type { BlockHashes } from '../../engine/types.ts'
import { toHex } from '../../primitives/hex.ts'
import { momentNow } from '../../primitives/moment.ts'
import { runPaced } from '../../primitives/paced.ts'
import {
  type BlockBody,
  EMPTY_BODY,
  InvalidBlockError,
  requireTrie,
  type SealedBlock,
} from '../../protocol/block.ts'
import { HALTS } from '../../protocol/halt.ts'
import { hashHeader, makeHeader } from '../../protocol/header.ts'
import type { RequestFault } from '../../protocol/requests.ts'
import { mergeDiffs } from '../../state/diffs.ts'
import { Overlay } from '../../state/overlay/overlay.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import { openingAccesses } from './blockAccesses.ts'
import { closeBlock } from './closeBlock.ts'
import type { PendingView } from './pendingView.ts'

/** The parts of an imported block that its transactions do not determine. */
interface SealedContents extends BlockBody {
  readonly extraData: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
}

/**
 * Seals a pending block: runs its closing system calls, pays rewards and withdrawals, and computes
 * its roots and its hash. A block of this node's own leaves out the requests that cannot be made,
 * so that no contract can stop the node; an imported block is then invalid.
 *
 * @param options.contents - body and extra header fields of an imported block. Default: none
 * @throws {InvalidBlockError} if an imported block breaks a rule of its requests
 */
export async function sealBlock(
  view: PendingView,
  options: {
    readonly engine: Engine
    readonly store: VersionedStore
    readonly blockHashes: BlockHashes
    readonly contents?: SealedContents
  },
): Promise<SealedBlock> {
  const { engine, store, blockHashes, contents } = options
  const { environment } = view
  const { parent, rules } = environment
  const { keccak256 } = engine.crypto
  const { uncles, withdrawals } = contents ?? EMPTY_BODY
  const overlay = new Overlay(view.state, engine.codes)
  const { accessList, results } = await closeBlock(view, {
    ...{ keccak256, overlay, uncles, withdrawals },
    opening: rules.blockAccessLists ? await openingAccesses(view, store) : [],
    // Leases a machine for each, because almost all blocks make none.
    async call(to) {
      const executor = await engine.executor(rules)
      return executor.use(overlay, blockHashes, async (machine) => {
        const execution = await executor.systemCall(machine, to, environment)
        overlay.apply(machine.overlay.takeDiff())
        return execution
      })
    },
    onFault(fault) {
      if (contents !== undefined) throw new InvalidBlockError(requestProblem(fault))
    },
  })
  const closing = overlay.isDirty ? [overlay.takeDiff()] : []
  let { version } = view.state
  for (const diff of closing) version = store.commit(diff)
  const state = store.view(version)
  // Clients wait for answers meanwhile: the tries of 1,000 new accounts take 10 ms.
  const scheduler = new Scheduler({ urgent: true })
  let trie = requireTrie(parent)
  for (const diffs of [view.cheatDiffs, [...view.blockDiffs, ...closing]]) {
    if (diffs.length === 0) continue
    trie = await runPaced(trie.applyPaced(mergeDiffs(diffs), state), scheduler)
  }
  const header = makeHeader(environment, parent.hashBytes, {
    ...results,
    stateRoot: trie.root(),
    ...(contents && { extraData: contents.extraData, nonce: contents.nonce }),
  })
  const hashBytes = hashHeader(header, keccak256)
  return {
    header,
    rules,
    uncles,
    withdrawals,
    number: parent.number + 1,
    hash: toHex(hashBytes),
    hashBytes,
    executed: view.executed,
    steps: view.steps.map(({ after, diff }) => ({ after, diff })),
    accessList,
    version,
    sealedVersion: version,
    trie,
    ...(contents === undefined ? { sealedAt: momentNow() } : {}),
  }
}

/** The problem with a request contract, or with a deposit log with this data. */
function requestProblem(fault: RequestFault): string {
  if (fault instanceof Uint8Array) {
    return `has a deposit log whose ${fault.length} bytes of data are not laid out as in EIP-6110`
  }
  const { contract, failed } = fault
  const name = `the contract of ${contract.holds} requests`
  return failed === undefined
    ? `has no code at ${contract.address}, where ${name} must be`
    : `calls ${name}, ${contract.address}, which fails: ${HALTS[failed.failure]}`
}
