import { type PendingView, pendingHash } from '../../chain/building/pendingView.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Publication } from '../../chain/chainEvents.ts'
import type { Profile } from '../../options/profile.ts'
import { ZERO_HASH } from '../../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { SharedText } from '../../primitives/jsonText.ts'
import { memoize } from '../../primitives/memo.ts'
import { headerGasUsed } from '../../protocol/blockGas.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { EMPTY_ROOT } from '../../state/trie/persistentTrie.ts'
import { chainFeed } from '../chainFeed.ts'
import { encodeMetadata } from './metadata.ts'

/** The difference between two pending views: one message of the stream. */
export interface Flashblock {
  readonly executed: readonly ExecutedTransaction[]
  readonly block: number
  /** Number of earlier messages of this build. */
  readonly index: number
  /** JSON, made once for all clients. */
  readonly text: SharedText
}

/** The part of a profile that decides the form of a stream. */
export type StreamProfile = Pick<Profile, 'metadata' | 'streamHash' | 'streamWithdrawalsRoot'>

/**
 * The messages of a chain's stream, in the form of a profile: one for each slice. Profile `plain`
 * also has one for each change of state by a command, and for changes by faults right before the
 * seal: replicas need them to build the same block. Other profiles leave them out, as networks do.
 * Some profiles have no stream.
 */
export const flashblocks = memoize((profile: StreamProfile) =>
  chainFeed<Flashblock>((chain, emit) => {
    const encode = flashblockEncoder(chain, profile)
    if (encode === undefined) return () => undefined
    const isWhole = profile.metadata === 'whole'
    return chain.events.published.add((publication) => {
      const { view, before, isCheat, isAtSeal } = publication
      if ((isCheat || isAtSeal) && !isWhole) return
      const index = isWhole ? publication.index : publication.slice
      const block = Number(view.environment.number)
      const executed = view.executed.slice(before?.executed.length ?? 0)
      const text = new SharedText(encode({ ...publication, index }, executed))
      emit({ executed, block, index, text })
    })
  }),
)

const ZERO = toHex(ZERO_HASH)
const NO_WITHDRAWALS = toHex(EMPTY_ROOT)

/** Digits of a payload id, which has 8 bytes. */
const PAYLOAD_ID = 16

function flashblockEncoder(chain: Chain, profile: StreamProfile) {
  const { metadata, streamHash, streamWithdrawalsRoot } = profile
  if (metadata === 'none') return undefined
  const { keccak256 } = chain.engine.crypto
  const noWithdrawals = streamWithdrawalsRoot === 'zero' ? ZERO : NO_WITHDRAWALS
  const hashOf = (view: PendingView) =>
    streamHash === 'zero' ? ZERO : (view.hash ?? pendingHash(view, keccak256))
  return (publication: Publication, executed: readonly ExecutedTransaction[]): string => {
    const { view, before, build, index } = publication
    const { rules } = view.environment
    const diff = {
      state_root: ZERO,
      receipts_root: toHex(view.receipts.rootHash()),
      logs_bloom: toHex(view.bloom),
      gas_used: quantity(headerGasUsed(view.gas)),
      block_hash: hashOf(view),
      transactions: executed.map(({ transaction }) => toHex(transaction.raw)),
      withdrawals: [],
      ...(rules.withdrawals ? { withdrawals_root: noWithdrawals } : {}),
      ...(rules.blobs ? { blob_gas_used: quantity(view.blobGasUsed) } : {}),
    }
    const head = JSON.stringify({
      payload_id: payloadId(build),
      index,
      ...(before === undefined ? { base: baseOf(view) } : {}),
      diff,
    })
    const details = encodeMetadata(chain, metadata, publication, executed)
    return `${head.slice(0, -1)},"metadata":${details}}`
  }
}

/** Ids count up, so that a reader knows which of two builds is the later one. */
export function payloadId(build: number): Hex {
  return `0x${build.toString(16).padStart(PAYLOAD_ID, '0')}`
}

function baseOf({ environment }: PendingView) {
  return {
    parent_beacon_block_root: toHex(environment.parentBeaconBlockRoot),
    parent_hash: environment.parent.hash,
    fee_recipient: toHex(environment.coinbase),
    prev_randao: toHex(environment.prevRandao),
    block_number: quantity(environment.number),
    gas_limit: quantity(environment.gasLimit),
    timestamp: quantity(environment.timestamp),
    extra_data: '0x',
    base_fee_per_gas: quantity(environment.baseFeePerGas),
  }
}
