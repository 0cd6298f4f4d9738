import { bigIntTo32Bytes, bytesToBigInt, concatBytes, padTo32 } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'
import { slotKeyFromBigInt } from '../../state/keys.ts'
import type { RemoteKeys } from '../../state/remote/remoteSource.ts'
import type { Keccak256, StateReader } from '../../state/types.ts'
import { hasCode } from '../systemContracts.ts'
import { DEPOSITOR, depositSource, encodeDeposit } from './depositTransaction.ts'
import { L1_BLOCK_KEY } from './l1Fee.ts'

// The deposit that opens each block: https://specs.optimism.io/protocol/isthmus/l1-attributes.html

const L1_BLOCK = fromHex('0x4200000000000000000000000000000000000015')

/** First bytes of its data: `setL1BlockValuesIsthmus()`. */
const SELECTOR = fromHex('0x098999be')

/** s between two blocks of L1. */
const L1_BLOCK_TIME = 12n

/** Slots of the contract, see {@link l1AttributesDeposit}. */
const SLOTS = {
  place: 0n,
  baseFee: 1n,
  hash: 2n,
  scalars: 3n,
  batcher: 4n,
  blobBaseFee: 7n,
  operator: 8n,
} as const

/** Reads of {@link l1AttributesDeposit} and its execution. */
export const L1_ATTRIBUTES_READS: RemoteKeys = {
  accounts: [L1_BLOCK_KEY],
  slots: Object.values(SLOTS).map((slot) => [L1_BLOCK_KEY, slotKeyFromBigInt(slot)]),
}

/**
 * The deposit that tells a block about L1. Prices are those that the contract holds, so a cheat on
 * its slots changes them for good; number and time go on, a block of L1 each 12 s.
 *
 * @param block - its timestamp in s
 * @param state - before the block
 * @returns `undefined` if the state does not have the contract
 */
export function l1AttributesDeposit(
  { timestamp }: { readonly timestamp: bigint },
  gasLimit: bigint,
  state: StateReader,
  keccak256: Keccak256,
): Uint8Array | undefined {
  if (!hasCode(L1_BLOCK_KEY, state)) return undefined
  const word = (name: keyof typeof SLOTS) =>
    padTo32(state.slot(L1_BLOCK_KEY, slotKeyFromBigInt(SLOTS[name])))
  const place = word('place')
  const time = bytesToBigInt(place.subarray(16, 24))
  const scalars = word('scalars')
  const passed = timestamp > time ? (timestamp - time) / L1_BLOCK_TIME : 0n
  const number = bytesToBigInt(place.subarray(24)) + passed
  const sequence = passed > 0n ? 0n : bytesToBigInt(scalars.subarray(24)) + 1n
  const hash =
    passed > 0n ? keccak256(concatBytes(word('hash'), bigIntTo32Bytes(number))) : word('hash')
  const operator = word('operator')
  const data = concatBytes(
    SELECTOR,
    scalars.subarray(16, 24),
    uint64(sequence),
    uint64(time + passed * L1_BLOCK_TIME),
    uint64(number),
    word('baseFee'),
    word('blobBaseFee'),
    hash,
    word('batcher'),
    operator.subarray(20),
  )
  return encodeDeposit({
    from: DEPOSITOR,
    to: L1_BLOCK,
    value: 0n,
    gasLimit,
    data,
    sourceHash: depositSource('l1Attributes', hash, sequence, keccak256),
    mint: 0n,
    isSystemTx: false,
  })
}

function uint64(value: bigint): Uint8Array {
  return bigIntTo32Bytes(value).subarray(24)
}
