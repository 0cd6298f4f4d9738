import type { Chain } from '../../chain/chain.ts'
import type { Publication } from '../../chain/chainState.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import { EMPTY_BYTES, ZERO_HASH } from '../../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { SharedText } from '../../primitives/jsonText.ts'
import { daoExtraData } from '../../protocol/daoFork.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { EMPTY_ROOT } from '../../state/trie/persistentTrie.ts'
import { chainFeed } from '../chainFeed.ts'
import { encodeMetadata } from './metadata.ts'

/** The difference between two pending views: one message of the stream. */
export interface Flashblock {
  /** The transactions that it adds. */
  readonly executed: readonly ExecutedTransaction[]
  /** Number of the pending block. */
  readonly block: number
  /** How many messages of this build there were before. */
  readonly index: number
  /** JSON, made once for all clients. */
  readonly text: SharedText
}

/** The messages of a chain's stream: one for each pending view, whoever publishes it. */
export const flashblocks = chainFeed<Flashblock>((chain, emit) =>
  chain.onPublish((publication) => {
    const { view, before, index } = publication
    const block = Number(view.environment.number)
    const executed = view.executed.slice(before?.executed.length ?? 0)
    emit({
      executed,
      block,
      index,
      text: new SharedText(encodeFlashblock(chain, publication, executed)),
    })
  }),
)

const ZERO = toHex(ZERO_HASH)
const NO_WITHDRAWALS = toHex(EMPTY_ROOT)

/** Digits of a payload id, which has 8 bytes. */
const PAYLOAD_ID = 16

function encodeFlashblock(
  chain: Chain,
  publication: Publication,
  executed: readonly ExecutedTransaction[],
): string {
  const { view, before, build, index } = publication
  const { rules } = view.environment
  const diff = {
    state_root: ZERO,
    receipts_root: toHex(view.receipts.rootHash()),
    logs_bloom: toHex(view.bloom),
    gas_used: quantity(view.gasUsed),
    block_hash: ZERO,
    transactions: executed.map(({ transaction }) => toHex(transaction.raw)),
    withdrawals: [],
    ...(rules.withdrawals ? { withdrawals_root: NO_WITHDRAWALS } : {}),
    ...(rules.blobs ? { blob_gas_used: quantity(view.blobGasUsed) } : {}),
  }
  const head = JSON.stringify({
    payload_id: payloadId(build),
    index,
    ...(before === undefined ? { base: baseOf(chain, view) } : {}),
    diff,
  })
  return `${head.slice(0, -1)},"metadata":${encodeMetadata(chain, publication, executed)}}`
}

/** Ids count up, so that a reader knows which of two builds is the later one. */
export function payloadId(build: number): Hex {
  return `0x${build.toString(16).padStart(PAYLOAD_ID, '0')}`
}

function baseOf({ engine }: Chain, { environment }: PendingView) {
  return {
    parent_beacon_block_root: toHex(environment.parentBeaconBlockRoot),
    parent_hash: environment.parent.hash,
    fee_recipient: toHex(environment.coinbase),
    prev_randao: toHex(environment.prevRandao),
    block_number: quantity(environment.number),
    gas_limit: quantity(environment.gasLimit),
    timestamp: quantity(environment.timestamp),
    extra_data: toHex(daoExtraData(environment.number, engine.schedule.dao) ?? EMPTY_BYTES),
    base_fee_per_gas: quantity(environment.baseFeePerGas),
  }
}
