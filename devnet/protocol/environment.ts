import { bigIntTo32Bytes, concatBytes, ZERO_HASH } from '../primitives/bytes.ts'
import type { Keccak256 } from '../state/types.ts'
import type { SealedBlock } from './block.ts'
import type { BlockContext } from './blockContext.ts'
import { nextDifficulty } from './difficulty.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from './fees.ts'
import type { ForkRules } from './forks.ts'
import type { BlockHeader } from './header.ts'

/** Values that are fixed when a block opens and do not change if it is sealed late. Immutable. */
export interface BlockEnvironment extends BlockContext {
  readonly parent: SealedBlock
  readonly rules: ForkRules
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Uint8Array
}

/** Values that the parent does not determine, or that override those it determines. */
interface EnvironmentParameters
  extends Pick<BlockContext, 'timestamp' | 'prevRandao' | 'coinbase' | 'gasLimit'> {
  /** wei. */
  readonly baseFeePerGas?: bigint | undefined
}

/** Environment of the block after `parent`; the first London block doubles the gas limit. */
export function openEnvironment(
  parent: SealedBlock,
  choices: EnvironmentParameters,
  rules: ForkRules,
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
    baseFeePerGas: rules.baseFee ? (choices.baseFeePerGas ?? nextBaseFee(header, rules)) : 0n,
    coinbase: choices.coinbase,
    prevRandao: choices.prevRandao,
    difficulty: nextDifficulty(header, choices.timestamp, rules),
    excessBlobGas,
    blobBaseFee: blobBaseFee(excessBlobGas, rules.blobSchedule),
    parentBeaconBlockRoot: ZERO_HASH,
    slotNumber: nextSlotNumber(header, rules),
  }
}

/** The slot after the parent's; the number of the block if that has none (EIP-7843). */
export function nextSlotNumber(
  { slotNumber, number }: Pick<BlockHeader, 'slotNumber' | 'number'>,
  rules: ForkRules,
): bigint {
  return rules.blockAccessLists ? (slotNumber ?? number) + 1n : 0n
}

/**
 * The prevRandao of a block for which no command chose one: derived from the number, so that equal
 * commands give equal blocks, and any block's is known without those before it.
 *
 * @param seed - 32 bytes: the hash of the genesis block
 */
export function derivedRandao(seed: Uint8Array, number: bigint, keccak256: Keccak256): Uint8Array {
  return keccak256(concatBytes(seed, bigIntTo32Bytes(number)))
}

/** A block with this header as EVM code sees it. */
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
    slotNumber: header.slotNumber ?? 0n,
  }
}
