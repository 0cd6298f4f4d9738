import { toHex } from '../../primitives/hex.ts'
import { InvalidBlockError, type SealedBlock } from '../../protocol/block.ts'
import { nextDifficulty } from '../../protocol/difficulty.ts'
import { maxBlobGas, nextBaseFee, nextExcessBlobGas } from '../../protocol/fees.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { type BlockHeader, EMPTY_NONCE, EMPTY_UNCLES_HASH } from '../../protocol/header.ts'

/** The part of a block on which the header of its child depends. */
type HeaderParent = Pick<SealedBlock, 'header' | 'hashBytes' | 'rules'>

const MOST_EXTRA_DATA = 32
const LEAST_GAS_LIMIT = 5000n
const MOST_GAS_LIMIT = 2n ** 63n - 1n
const GAS_LIMIT_DIVISOR = 1024n

/**
 * Checks a header against its parent and the rules of its hardfork (yellow paper 4.4.4 and later
 * EIPs). The proof of work itself is not checked.
 *
 * @throws {InvalidBlockError} if it breaks a rule
 */
export function verifyHeader(header: BlockHeader, parent: HeaderParent, rules: ForkRules): void {
  expectSame('number', header.number, parent.header.number + 1n)
  expectSame('parentHash', header.parentHash, parent.hashBytes)
  verifyFields(header, rules)
  if (header.timestamp <= parent.header.timestamp) {
    throw new InvalidBlockError(
      `has timestamp ${header.timestamp}, expected more than its parent's ${parent.header.timestamp}`,
    )
  }
  verifyGasLimit(header, parent, rules)
  if (header.gasUsed > header.gasLimit) {
    throw new InvalidBlockError(
      `has gasUsed ${header.gasUsed} above its gasLimit ${header.gasLimit}`,
    )
  }
  if (rules.baseFee)
    expectSame('baseFeePerGas', header.baseFeePerGas ?? 0n, nextBaseFee(parent.header, rules))
  verifyBlobs(header, parent, rules)
  verifyWork(header, parent, rules)
  if (header.extraData.length > MOST_EXTRA_DATA) {
    throw new InvalidBlockError(
      `has ${header.extraData.length} bytes of extraData, expected ${MOST_EXTRA_DATA} at most`,
    )
  }
}

/** @param fail - creates the error to throw if the values differ; default: an InvalidBlockError */
export function expectSame(
  field: string,
  got: bigint | Uint8Array,
  expected: bigint | Uint8Array,
  fail: (problem: string) => Error = (problem) => new InvalidBlockError(problem),
): void {
  const [is, should] = [got, expected].map((one) => (typeof one === 'bigint' ? one : toHex(one)))
  if (is !== should) throw fail(`has ${field} ${is}, expected ${should}`)
}

/** Checks that a header has the fields of its hardfork, and no others. */
function verifyFields(header: BlockHeader, rules: ForkRules): void {
  const fields = [
    ['baseFeePerGas', rules.baseFee],
    ['withdrawalsRoot', rules.withdrawals],
    ['blobGasUsed', rules.blobs],
    ['excessBlobGas', rules.blobs],
    ['parentBeaconBlockRoot', rules.blobs],
    ['requestsHash', rules.requests],
    ['blockAccessListHash', rules.blockAccessLists],
    ['slotNumber', rules.blockAccessLists],
  ] as const
  for (const [field, wanted] of fields) {
    const there = header[field] !== undefined
    if (there === wanted) continue
    throw new InvalidBlockError(
      `${there ? 'has a' : 'has no'} ${field}, which ${wanted ? 'every block' : 'no block'} of ${rules.hardfork} has`,
    )
  }
}

function verifyGasLimit(header: BlockHeader, parent: HeaderParent, rules: ForkRules): void {
  const { gasLimit } = header
  // EIP-1559: the gas limit doubles in the first block with a base fee.
  const doubled = rules.baseFee && !parent.rules.baseFee
  const before = doubled ? 2n * parent.header.gasLimit : parent.header.gasLimit
  const step = before / GAS_LIMIT_DIVISOR
  const least = before - step + 1n > LEAST_GAS_LIMIT ? before - step + 1n : LEAST_GAS_LIMIT
  const most = before + step - 1n < MOST_GAS_LIMIT ? before + step - 1n : MOST_GAS_LIMIT
  if (gasLimit >= least && gasLimit <= most) return
  throw new InvalidBlockError(`has gasLimit ${gasLimit}, expected ${least} to ${most}`)
}

function verifyBlobs(header: BlockHeader, parent: HeaderParent, rules: ForkRules): void {
  if (!rules.blobs) return
  expectSame('excessBlobGas', header.excessBlobGas ?? 0n, nextExcessBlobGas(parent.header, rules))
  const most = maxBlobGas(rules.blobSchedule)
  const { blobGasUsed = 0n } = header
  if (blobGasUsed > most) {
    throw new InvalidBlockError(`has blobGasUsed ${blobGasUsed}, expected ${most} at most`)
  }
}

function verifyWork(header: BlockHeader, parent: HeaderParent, rules: ForkRules): void {
  const { difficulty, timestamp } = header
  expectSame('difficulty', difficulty, nextDifficulty(parent.header, timestamp, rules))
  if (!rules.proofOfStake) return
  expectSame('nonce', header.nonce, EMPTY_NONCE)
  expectSame('sha3Uncles', header.sha3Uncles, EMPTY_UNCLES_HASH)
}
