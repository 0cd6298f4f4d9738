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
  unclesHash,
} from '../../protocol/block.ts'
import { encodeBlockAccessList } from '../../protocol/blockAccessList.ts'
import { headerGasUsed } from '../../protocol/blockGas.ts'
import { HALTS } from '../../protocol/halt.ts'
import { hashHeader, makeHeader } from '../../protocol/header.ts'
import {
  type BlockRequest,
  callRequestContracts,
  deposits,
  needsRequestCalls,
  type RequestContractFault,
  requestsHash,
} from '../../protocol/requests.ts'
import { blockRewards, incrementDiff, withdrawalIncrements } from '../../protocol/rewards.ts'
import { accessesBetween } from '../../protocol/stepAccesses.ts'
import { withdrawalsRoot } from '../../protocol/withdrawals.ts'
import { isEmptyDiff, mergeDiffs } from '../../state/diffs.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import type { StateDiff } from '../../state/types.ts'
import { closingAccesses, openingAccesses } from './blockAccesses.ts'
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
  const { uncles, withdrawals } = contents ?? EMPTY_BODY
  const { keccak256 } = engine.crypto
  const logs = view.executed.flatMap((executed) => executed.logs)
  const onFault = (fault: RequestContractFault | Uint8Array) => {
    if (contents !== undefined) throw new InvalidBlockError(requestProblem(fault))
  }
  const requests: BlockRequest[] = rules.requests ? [deposits(logs, rules, onFault)] : []
  const diffs = [...view.blockDiffs]
  let { version } = view.state
  const commit = (diff: StateDiff) => {
    version = store.commit(diff)
    diffs.push(diff)
  }
  const touched = closingAccesses(view.state, rules, withdrawals)
  if (needsRequestCalls(view.state, rules)) {
    const executor = await engine.executor(rules)
    const diff = await executor.use(view.state, blockHashes, async (machine) => {
      const call = async (to: Uint8Array) => {
        const execution = await executor.systemCall(machine, to, environment)
        touched.add(execution.accesses ?? [])
        return execution
      }
      requests.push(...(await callRequestContracts(machine.overlay, rules, call, onFault)))
      return machine.overlay.takeDiff()
    })
    if (!isEmptyDiff(diff)) commit(diff)
  }
  const increments = [...withdrawalIncrements(withdrawals), ...blockRewards(environment, uncles)]
  if (increments.length > 0) commit(incrementDiff(increments, store.view(version)))
  const state = store.view(version)
  // Clients wait for answers meanwhile: the tries of 1,000 new accounts take 10 ms.
  const scheduler = new Scheduler({ urgent: true })
  const cheats = requireTrie(parent).applyPaced(mergeDiffs(view.cheatDiffs), state)
  const changes = (await runPaced(cheats, scheduler)).applyPaced(mergeDiffs(diffs), state)
  const trie = await runPaced(changes, scheduler)
  const accessList = rules.blockAccessLists
    ? encodeBlockAccessList([
        await openingAccesses(view, store),
        ...view.accesses,
        accessesBetween(view.state, state, touched),
      ])
    : undefined
  const header = makeHeader(environment, parent.hashBytes, {
    stateRoot: trie.root(),
    transactionsRoot: view.transactions.rootHash(),
    receiptsRoot: view.receipts.rootHash(),
    logsBloom: view.bloom,
    gasUsed: headerGasUsed(view.gas),
    blobGasUsed: view.blobGasUsed,
    requestsHash: requestsHash(requests),
    ...(accessList && { blockAccessListHash: keccak256(accessList) }),
    ...(contents && {
      extraData: contents.extraData,
      nonce: contents.nonce,
      sha3Uncles: unclesHash(uncles, keccak256),
      withdrawalsRoot: withdrawalsRoot(withdrawals, keccak256),
    }),
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
function requestProblem(fault: RequestContractFault | Uint8Array): string {
  if (fault instanceof Uint8Array) {
    return `has a deposit log whose ${fault.length} bytes of data are not laid out as in EIP-6110`
  }
  const { contract, failed } = fault
  const name = `the contract of ${contract.holds} requests`
  return failed === undefined
    ? `has no code at ${contract.address}, where ${name} must be`
    : `calls ${name}, ${contract.address}, which fails: ${HALTS[failed.failure]}`
}
