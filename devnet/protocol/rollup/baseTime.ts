import { bigIntTo32Bytes, bytesToBigInt, concatBytes } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'
import { addressKey } from '../../state/keys.ts'
import type { Keccak256, StateReader } from '../../state/types.ts'
import type { SealedBlock } from '../block.ts'
import { hasCode } from '../systemContracts.ts'
import { baseTimeSource, DEPOSITOR, encodeDeposit } from './depositTransaction.ts'

// The time of Base's blocks in ms since Denim:
// https://docs.base.org/base-chain/specs/upgrades/denim/200ms-blocks

export const BASE_TIME = '0x4200000000000000000000000000000000000030'
/** Address of the code that the predeploy delegates to. */
export const BASE_TIME_IMPLEMENTATION = '0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d30030'
export const BASE_TIME_KEY = addressKey(fromHex(BASE_TIME))

export const DEPOSITOR_KEY = addressKey(DEPOSITOR)

/** First bytes of the deposit's data: `setTimestampMillisPart(uint16)`. */
const SELECTOR = fromHex('0x86bdf394')

/** ms from a block to the next one. */
const INTERVAL = 200n

/** Time of a block in ms since the epoch, as its deposit says; `undefined` if it has none. */
export function blockTimeMs({ header, executed }: TimedBlock): bigint | undefined {
  // It is the first if the chain does not have the contract of the L1 attributes.
  const opening = executed
    .slice(0, 2)
    .find(
      ({ transaction: { deposit, senderKey, to } }) =>
        deposit !== undefined &&
        senderKey === DEPOSITOR_KEY &&
        to !== undefined &&
        addressKey(to) === BASE_TIME_KEY,
    )
  if (opening === undefined) return undefined
  const { data } = opening.transaction
  return header.timestamp * 1000n + bytesToBigInt(data.subarray(SELECTOR.length))
}

type TimedBlock = Pick<SealedBlock, 'header' | 'executed'>

/**
 * Time in ms of the block behind `parent`, unless a command chooses another. A parent that does not
 * tell its own, such as the block that a fork stands on, may be late in its second.
 */
export function nextTimeMs(parent: TimedBlock): bigint {
  const { number, timestamp } = parent.header
  const earliest = timestamp * 1000n + (number === 0n ? INTERVAL : 1000n - INTERVAL)
  const time = blockTimeMs(parent)
  return time === undefined ? earliest : time + INTERVAL
}

/**
 * The deposit that tells contracts the milliseconds within a block's second.
 *
 * @param state - before the block
 * @returns `undefined` if the state does not have the contract
 */
export function baseTimeDeposit(
  block: { readonly number: bigint; readonly timestamp: bigint; readonly parent: TimedBlock },
  gasLimit: bigint,
  state: StateReader,
  keccak256: Keccak256,
): Uint8Array | undefined {
  if (!hasCode(BASE_TIME_KEY, state)) return undefined
  return encodeDeposit({
    from: DEPOSITOR,
    to: fromHex(BASE_TIME),
    value: 0n,
    gasLimit,
    data: concatBytes(SELECTOR, bigIntTo32Bytes(millisecondsOf(block))),
    sourceHash: baseTimeSource(block.number, keccak256),
    mint: 0n,
    isSystemTx: false,
  })
}

/** A second that a command chose begins; one that is its parent's does not go back. */
function millisecondsOf({
  timestamp,
  parent,
}: {
  readonly timestamp: bigint
  readonly parent: TimedBlock
}): bigint {
  const next = nextTimeMs(parent)
  if (timestamp === next / 1000n) return next % 1000n
  return timestamp > parent.header.timestamp ? 0n : 1000n - INTERVAL
}
