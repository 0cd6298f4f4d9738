import type { History } from '../../chain/history.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { InvalidBlockError, type SealedBlock, type Uncle } from '../../protocol/block.ts'
import { DAO_EXTRA_DATA, isDaoMarked } from '../../protocol/daoFork.ts'
import { nextDifficulty } from '../../protocol/difficulty.ts'
import { maxBlobGas, nextBaseFee, nextExcessBlobGas } from '../../protocol/fees.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
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
export function verifyHeader(
  header: BlockHeader,
  parent: HeaderParent,
  rules: ForkRules,
  dao: ForkSchedule['dao'],
): void {
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
  verifyExtraData(header, dao)
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

function verifyExtraData({ number, extraData }: BlockHeader, dao: ForkSchedule['dao']): void {
  if (extraData.length > MOST_EXTRA_DATA) {
    throw new InvalidBlockError(
      `has ${extraData.length} bytes of extraData, expected ${MOST_EXTRA_DATA} at most`,
    )
  }
  if (!isDaoMarked(number, dao)) return
  if (dao.support) expectSame('extraData', extraData, DAO_EXTRA_DATA)
  else if (Buffer.from(DAO_EXTRA_DATA).equals(extraData)) {
    throw new InvalidBlockError('has the extraData of the DAO fork, which this chain did not take')
  }
}

/** Maximum number of uncles in one block. */
const MOST_UNCLES = 2

/** Most generations between a block and the parent of its uncle; 1 is the parent of the block. */
const REACH = 7

/**
 * Checks the uncles of a block: at most two, recent, not included before, not ancestors, and each a
 * valid header whose parent is an ancestor.
 *
 * @throws {InvalidBlockError} if one breaks these rules
 */
export function verifyUncles(
  { parentHash }: BlockHeader,
  uncles: readonly Uncle[],
  history: History,
  { schedule }: Engine,
): void {
  if (uncles.length === 0) return
  if (uncles.length > MOST_UNCLES) {
    throw new InvalidBlockError(`has ${uncles.length} uncles, expected ${MOST_UNCLES} at most`)
  }
  const ancestors = recent(history)
  const known = new Set<Hex>(
    [...ancestors.values()].flatMap(({ hash, uncles }) => [hash, ...uncles.map((one) => one.hash)]),
  )
  for (const [index, { header, hash }] of uncles.entries()) {
    if (known.has(hash)) {
      throw new InvalidBlockError(`has uncle ${index} (${hash}), which the chain knows already`)
    }
    known.add(hash)
    const parent = ancestors.get(toHex(header.parentHash))
    if (parent === undefined || Buffer.from(parentHash).equals(header.parentHash)) {
      throw new InvalidBlockError(
        `has uncle ${index} (${hash}), whose parent is none of the ${REACH - 1} blocks before the parent`,
      )
    }
    const rules = schedule.at(header.number, header.timestamp)
    try {
      verifyHeader(header, parent, rules, schedule.dao)
    } catch (error) {
      if (!(error instanceof InvalidBlockError)) throw error
      throw new InvalidBlockError(`has uncle ${index}, which ${error.message}`)
    }
  }
}

/** The newest {@link REACH} blocks by hash. */
function recent(history: History): Map<Hex, SealedBlock> {
  const blocks = new Map<Hex, SealedBlock>()
  for (let back = 0; back < REACH; back++) {
    const block = history.byNumber(history.head.number - back)
    if (block !== undefined) blocks.set(block.hash, block)
  }
  return blocks
}
