import type { Crypto } from '../engine/crypto.ts'
import type { BlockContext } from '../engine/types.ts'
import { bigIntTo32Bytes, concatBytes, ZERO_HASH } from '../primitives/bytes.ts'
import type { SealedBlock } from './block.ts'
import { nextDifficulty } from './difficulty.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from './fees.ts'
import type { ForkRules } from './forks.ts'

/** What is fixed when a block opens and does not change if it is sealed late. Immutable. */
export interface BlockEnvironment extends BlockContext {
  readonly parent: SealedBlock
  readonly rules: ForkRules
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Uint8Array
}

/** Values that the parent does not determine, or that override those it determines. */
interface EnvironmentParameters {
  /** s since the epoch. */
  readonly timestamp: bigint
  /** wei. */
  readonly baseFeePerGas?: bigint | undefined
  readonly prevRandao?: Uint8Array | undefined
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
}

/** Environment of the block after `parent`; the first London block doubles the gas limit. */
export function openEnvironment(
  parent: SealedBlock,
  choices: EnvironmentParameters,
  rules: ForkRules,
  keccak256: Crypto['keccak256'],
): BlockEnvironment {
  const { header } = parent
  const number = header.number + 1n
  const excessBlobGas = nextExcessBlobGas(header, rules)
  return {
    parent,
    rules,
    number,
    timestamp: choices.timestamp,
    gasLimit: rules.baseFee && !parent.rules.baseFee ? 2n * choices.gasLimit : choices.gasLimit,
    baseFeePerGas: rules.baseFee ? (choices.baseFeePerGas ?? nextBaseFee(header)) : 0n,
    coinbase: choices.coinbase,
    // Derived from the parent's value and the number, so that equal commands give equal blocks.
    prevRandao:
      choices.prevRandao ?? keccak256(concatBytes(header.mixHash, bigIntTo32Bytes(number))),
    difficulty: nextDifficulty(header, choices.timestamp, rules),
    excessBlobGas,
    blobBaseFee: blobBaseFee(excessBlobGas, rules.blobSchedule),
    parentBeaconBlockRoot: ZERO_HASH,
  }
}

/** What EVM code sees of a block with this header. */
export function headerContext(block: Pick<SealedBlock, 'header' | 'rules'>): BlockContext {
  const { header, rules } = block
  return {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    coinbase: header.coinbase,
    prevRandao: header.mixHash,
    difficulty: header.difficulty,
    blobBaseFee: blobBaseFee(header.excessBlobGas ?? 0n, rules.blobSchedule),
  }
}
