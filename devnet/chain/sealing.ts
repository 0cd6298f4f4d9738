import type { Engine } from '../engine/engine.ts'
import type { BlockHashes } from '../engine/types.ts'
import { toHex } from '../primitives/hex.ts'
import { type BlockBody, EMPTY_BODY, type SealedBlock, unclesHash } from '../protocol/block.ts'
import { daoExtraData } from '../protocol/daoFork.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import {
  type BlockResults,
  EMPTY_REQUESTS_HASH,
  hashHeader,
  makeHeader,
} from '../protocol/header.ts'
import {
  type BlockRequest,
  callRequestContracts,
  deposits,
  needsRequestCalls,
  requestsHash,
} from '../protocol/requests.ts'
import { blockRewards, creditDiff, withdrawalCredits } from '../protocol/rewards.ts'
import { withdrawalsRoot } from '../protocol/withdrawals.ts'
import { isEmptyDiff, mergeDiffs } from '../state/diffs.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import type { Keccak256, StateDiff } from '../state/types.ts'
import type { PendingView } from './pendingView.ts'

/** What a block holds that is neither its transactions nor follows from them. */
export interface SealedContents extends BlockBody {
  readonly extraData: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
}

/**
 * Gives a block its roots and its hash.
 *
 * @param diffs - all changes since the parent was sealed, in order
 * @param contents - default: nothing
 */
export async function sealBlock(
  view: PendingView,
  diffs: readonly StateDiff[],
  engine: Engine,
  store: VersionedStore,
  blockHashes: BlockHashes,
  contents?: SealedContents,
): Promise<SealedBlock> {
  const { environment } = view
  const { parent, rules } = environment
  const { uncles, withdrawals } = contents ?? EMPTY_BODY
  const { crypto } = engine
  const requests: BlockRequest[] = rules.requests
    ? [
        deposits(
          view.executed.flatMap(({ logs }) => logs),
          rules,
        ),
      ]
    : []
  let { version } = view.state
  const all = [...diffs]
  if (needsRequestCalls(view.state, rules)) {
    const executor = await engine.executor(rules)
    const diff = await executor.use(view.state, blockHashes, async (machine) => {
      requests.push(...(await callRequestContracts(executor, machine, environment)))
      return machine.overlay.takeDiff()
    })
    if (!isEmptyDiff(diff)) {
      version = store.commit(diff)
      all.push(diff)
    }
  }
  const credits = [...withdrawalCredits(withdrawals), ...blockRewards(environment, uncles)]
  if (credits.length > 0) {
    const diff = creditDiff(credits, store.view(version))
    version = store.commit(diff)
    all.push(diff)
  }
  const trie = parent.trie.apply(mergeDiffs(all), store.view(version))
  const header = makeHeader(environment, parent.hashBytes, {
    stateRoot: trie.root(),
    transactionsRoot: view.transactions.rootHash(),
    receiptsRoot: view.receipts.rootHash(),
    logsBloom: view.bloom,
    gasUsed: view.gasUsed,
    blobGasUsed: view.blobGasUsed,
    requestsHash: requests.some(({ data }) => data.length > 0)
      ? requestsHash(requests)
      : EMPTY_REQUESTS_HASH,
    ...(contents === undefined
      ? ownContents(environment, engine)
      : foreignContents(contents, crypto.keccak256)),
  })
  const hashBytes = hashHeader(header, crypto.keccak256)
  return {
    header,
    rules,
    uncles,
    withdrawals,
    number: parent.number + 1,
    hash: toHex(hashBytes),
    hashBytes,
    executed: view.executed,
    version,
    sealedVersion: version,
    trie,
  }
}

/** What the header of a block of this node says beside its outcome. */
function ownContents({ number }: BlockEnvironment, { schedule }: Engine): Partial<BlockResults> {
  const extraData = daoExtraData(number, schedule.dao)
  return extraData === undefined ? {} : { extraData }
}

/** What the header says of contents that were imported. */
function foreignContents(contents: SealedContents, keccak256: Keccak256): Partial<BlockResults> {
  const { uncles, withdrawals, extraData, nonce } = contents
  return {
    extraData,
    nonce,
    sha3Uncles: unclesHash(uncles, keccak256),
    withdrawalsRoot: withdrawalsRoot(withdrawals, keccak256),
  }
}
