import { bigIntTo32Bytes, bytesToBigInt, concatBytes, padTo32 } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'
import { slotKeyFromBigInt } from '../../state/keys.ts'
import type { RemoteKeys } from '../../state/remote/remoteSource.ts'
import type { AddressKey, Keccak256, StateReader } from '../../state/types.ts'
import type { BlockEnvironment } from '../environment.ts'
import type { ForkRules } from '../forks.ts'
import { hasCode } from '../systemContracts.ts'
import { BASE_TIME_KEY, baseTimeDeposit, DEPOSITOR_KEY } from './baseTime.ts'
import { DEPOSITOR, depositSource, encodeDeposit } from './depositTransaction.ts'
import { L1_BLOCK_KEY } from './l1Fee.ts'

/**
 * The deposits that open a block of an OP Stack chain, as EIP-2718 bytes: the L1 attributes, and
 * BaseTime on Base. Those whose contracts the state does not have are left out.
 *
 * @param state - before the block
 */
export function openingDeposits(
  block: BlockEnvironment,
  state: StateReader,
  keccak256: Keccak256,
): Uint8Array[] {
  const gas = depositGas(block.gasLimit)
  const l1Attributes = l1AttributesDeposit(block, gas, state, keccak256)
  const baseTime = block.rules.baseTime ? baseTimeDeposit(block, gas, state, keccak256) : undefined
  return [l1Attributes, baseTime].filter((deposit) => deposit !== undefined)
}

// The L1 attributes: https://specs.optimism.io/protocol/isthmus/l1-attributes.html

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

/**
 * The deposit that tells a block about L1. Prices are those that the contract holds, so a cheat on
 * its slots changes them for good; number and time go on, a block of L1 each 12 s.
 *
 * @param block - its timestamp in s
 * @param state - before the block
 * @returns `undefined` if the state does not have the contract
 */
function l1AttributesDeposit(
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

/** Reads of {@link openingDeposits} and their execution. */
export const OPENING_READS: RemoteKeys = {
  accounts: [DEPOSITOR_KEY, L1_BLOCK_KEY, BASE_TIME_KEY],
  slots: [
    ...Object.values(SLOTS).map((slot) => [L1_BLOCK_KEY, slotKeyFromBigInt(slot)] as const),
    [BASE_TIME_KEY, slotKeyFromBigInt(0n)],
  ],
}

/** True if a transaction is one of {@link openingDeposits}, of whatever block. */
export function isOpeningDeposit(transaction: {
  readonly deposit?: object | undefined
  readonly senderKey: AddressKey
}): boolean {
  return transaction.deposit !== undefined && transaction.senderKey === DEPOSITOR_KEY
}

/** Gas of a block that these deposits may use, so that no other transaction can have it. */
export function openingGas(blockGasLimit: bigint, { opStack, baseTime }: ForkRules): bigint {
  if (!opStack) return 0n
  return depositGas(blockGasLimit) * (baseTime ? 2n : 1n)
}

/** Gas that each may use (since Regolith); less in blocks that could hold nothing else. */
const GAS = 1_000_000n

function depositGas(blockGasLimit: bigint): bigint {
  const quarter = blockGasLimit / 4n
  return quarter < GAS ? quarter : GAS
}
