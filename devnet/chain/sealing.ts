import type { Engine } from '../engine/engine.ts'
import type { BlockHashes } from '../engine/machine.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import type { VersionedStore } from '../state/versionedStore.ts'
import type { SealedBlock } from './block.ts'
import { toHex } from './bytes.ts'
import { isEmptyDiff, mergeDiffs } from './diffs.ts'
import { encodeHeader } from './header.ts'
import type { PendingView } from './pendingView.ts'
import { callRequestContracts, deposits, needsRequestCalls, requestsHash } from './requests.ts'
import { EMPTY_REQUESTS_HASH, makeHeader } from './roots.ts'

/**
 * Gives the pending block its roots and its hash.
 *
 * @param diffs - all changes since the parent was sealed, in order
 */
export async function sealBlock(
  view: PendingView,
  diffs: readonly StateDiff[],
  engine: Engine,
  store: VersionedStore,
  blockHashes: BlockHashes,
): Promise<SealedBlock> {
  const { environment } = view
  const { parent } = environment
  const { rules, crypto } = engine
  const requests = [deposits(view.executed.flatMap(({ logs }) => logs))]
  let { version } = view.state
  const all = [...diffs]
  if (needsRequestCalls(view.state, rules)) {
    const executor = await engine.executor()
    const diff = await executor.use(view.state, blockHashes, async (machine) => {
      requests.push(...(await callRequestContracts(executor, machine, environment)))
      return machine.overlay.takeDiff()
    })
    if (!isEmptyDiff(diff)) {
      version = store.commit(diff)
      all.push(diff)
    }
  }
  if (!rules.proofOfStake) {
    const diff = blockReward(environment.coinbase, store.view(version))
    version = store.commit(diff)
    all.push(diff)
  }
  const trie = parent.trie.apply(mergeDiffs(all), store.view(version))
  const header = makeHeader(
    environment,
    parent.hashBytes,
    {
      stateRoot: trie.root(),
      transactionsRoot: view.transactions.rootHash(),
      receiptsRoot: view.receipts.rootHash(),
      logsBloom: view.bloom,
      gasUsed: view.gasUsed,
      blobGasUsed: view.blobGasUsed,
      requestsHash: requests.some(({ data }) => data.length > 0)
        ? requestsHash(requests)
        : EMPTY_REQUESTS_HASH,
    },
    rules,
  )
  const hashBytes = crypto.keccak256(encodeHeader(header))
  return {
    header,
    number: parent.number + 1,
    hash: toHex(hashBytes),
    hashBytes,
    executed: view.executed,
    version,
    trie,
  }
}

/** wei that a block earned before Paris (EIP-1234). */
const BLOCK_REWARD = 2n * 10n ** 18n

function blockReward(coinbase: Uint8Array, state: StateReader): StateDiff {
  const key = addressKey(coinbase)
  const record = state.account(key) ?? { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
  const rewarded = { ...record, balance: record.balance + BLOCK_REWARD }
  return { accounts: new Map([[key, rewarded]]), storage: new Map() }
}
