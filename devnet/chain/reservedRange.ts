import type { Engine } from '../engine/engine.ts'
import { bigIntTo32Bytes, concatBytes, WORD, writeWord } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { EMPTY_BODY, requireTrie, type SealedBlock } from '../protocol/block.ts'
import { derivedRandao } from '../protocol/environment.ts'
import { nextBaseFee, nextExcessBlobGas } from '../protocol/fees.ts'
import type { ForkSchedule } from '../protocol/forkSchedule.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type BlockHeader, hashHeader, makeHeader } from '../protocol/header.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import type { Keccak256, Version } from '../state/types.ts'
import type { PendingView } from './building/pendingView.ts'

/** Number of blocks of a range that are kept once they were made. */
const MADE_KEPT = 64

/** Length of a block hash's random part; the block number follows in 8 bytes. */
const RANDOM_LENGTH = 24

/**
 * Consecutive empty blocks that a command reserved, as one entry of the history. A block is made
 * when it is asked for. No system call runs in it, and no reward is paid.
 */
export class ReservedRange {
  readonly headers: ReservedHeaders
  readonly first: number
  readonly last: number
  /** Always the same object: it can be the newest block, whose state cheats change. */
  readonly newest: SealedBlock
  readonly #state: ReservedState
  readonly #made = new Map<number, SealedBlock>()

  /** @param newest - the last block, if it exists already */
  constructor(
    headers: ReservedHeaders,
    bounds: { readonly first: number; readonly last: number },
    state: ReservedState,
    newest?: SealedBlock,
  ) {
    this.headers = headers
    this.first = bounds.first
    this.last = bounds.last
    this.#state = state
    this.newest = newest ?? this.#make(this.last)
  }

  at(number: number): SealedBlock | undefined {
    if (number === this.last) return this.newest
    if (!this.#has(number)) return undefined
    const known = this.#made.get(number)
    if (known !== undefined) return known
    const block = this.#make(number)
    if (this.#made.size >= MADE_KEPT) {
      const [oldest = number] = this.#made.keys()
      this.#made.delete(oldest)
    }
    this.#made.set(number, block)
    return block
  }

  hashOf(number: number): Uint8Array | undefined {
    return this.#has(number) ? this.headers.hash(number) : undefined
  }

  /** The part of this range from `first` to `last`, which must lie in it. */
  part(first: number, last: number): ReservedRange {
    const newest = last === this.last ? this.newest : undefined
    return new ReservedRange(this.headers, { first, last }, this.#state, newest)
  }

  /** The same blocks, of which the newest may get another version. */
  copy(): ReservedRange {
    return new ReservedRange(this.headers, this, this.#state, { ...this.newest })
  }

  /** The same blocks on a state that has been restored. */
  withState(state: ReservedState): ReservedRange {
    return new ReservedRange(this.headers, this, state)
  }

  #has(number: number): boolean {
    return number >= this.first && number <= this.last
  }

  #make(number: number): SealedBlock {
    const { headers } = this
    const hashBytes = headers.hash(number)
    return {
      ...EMPTY_BODY,
      ...this.#state,
      header: headers.header(number),
      rules: headers.origin.rules,
      number,
      hash: toHex(hashBytes),
      hashBytes,
      isReserved: true,
      executed: [],
      steps: [],
      version: this.#state.sealedVersion,
    }
  }
}

/** The number that the hash of a reserved block ends with. */
export function numberInHash(hash: Hex): number {
  return Number(`0x${hash.slice(2 + 2 * RANDOM_LENGTH)}`)
}

export interface ReservedOrigin {
  /** Header of the block that was reserved first. */
  readonly header: BlockHeader
  /** The rules of every block in the range. */
  readonly rules: ForkRules
  /** ms between the timestamps of two blocks. */
  readonly step: number
  /** See {@link derivedRandao}. */
  readonly randaoSeed: Uint8Array
  readonly keccak256: Keccak256
}

/** The fields of a header that fall from one empty block to the next. */
type Fees = Pick<BlockHeader, 'baseFeePerGas' | 'excessBlobGas'>

/**
 * Headers and hashes of empty blocks, from the first on. Each is computed from the block's number
 * alone. The hash says the number, so that the block is found by it, and does not hash its header.
 */
export class ReservedHeaders {
  readonly first: number
  readonly origin: ReservedOrigin
  /** The seed of the range, then the number of a block: what its hash is made from. */
  readonly #preimage: Uint8Array
  /** Fees of the first blocks; from the last entry on, all blocks have the same. */
  readonly #fees: readonly Fees[]

  constructor(origin: ReservedOrigin) {
    const { header, step, keccak256 } = origin
    this.first = Number(header.number)
    this.origin = origin
    const seed = keccak256(
      concatBytes(hashHeader(header, keccak256), bigIntTo32Bytes(BigInt(step))),
    )
    this.#preimage = concatBytes(seed, new Uint8Array(WORD))
    this.#fees = fallingFees(origin)
  }

  header(number: number): BlockHeader {
    const { header, randaoSeed, keccak256 } = this.origin
    if (number === this.first) return header
    return {
      ...header,
      ...this.#fees[Math.min(number - this.first, this.#fees.length - 1)],
      parentHash: this.hash(number - 1),
      number: BigInt(number),
      timestamp: this.timestamp(number),
      mixHash: derivedRandao(randaoSeed, BigInt(number), keccak256),
      ...(header.slotNumber === undefined
        ? {}
        : { slotNumber: header.slotNumber + BigInt(number - this.first) }),
    }
  }

  /** In s since the epoch. */
  readonly timestamp = (number: number): bigint => {
    const { header, step } = this.origin
    return header.timestamp + (BigInt(number - this.first) * BigInt(step)) / 1000n
  }

  hash(number: number): Uint8Array {
    const preimage = this.#preimage
    writeWord(preimage, WORD, BigInt(number))
    const hash = this.origin.keccak256(preimage)
    hash.set(preimage.subarray(WORD + RANDOM_LENGTH), RANDOM_LENGTH)
    return hash
  }
}

/**
 * Headers of empty blocks from the pending one on.
 *
 * @param step - ms between their timestamps
 */
export function reservedHeaders(
  {
    engine,
    history,
    pending,
  }: {
    readonly engine: Pick<Engine, 'crypto'>
    readonly history: { readonly head: SealedBlock; readonly randaoSeed: Uint8Array }
    readonly pending: PendingView
  },
  step: number,
): ReservedHeaders {
  const { head } = history
  const { environment } = pending
  return new ReservedHeaders({
    header: makeHeader(environment, head.hashBytes, { stateRoot: requireTrie(head).root() }),
    rules: environment.rules,
    step,
    randaoSeed: history.randaoSeed,
    keccak256: engine.crypto.keccak256,
  })
}

function fallingFees({ header, rules }: ReservedOrigin): Fees[] {
  const feesOf = ({ baseFeePerGas, excessBlobGas }: Fees): Fees => ({
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
    ...(excessBlobGas === undefined ? {} : { excessBlobGas }),
  })
  const all: Fees[] = []
  for (let fees = feesOf(header), next = fees; ; fees = next) {
    all.push(fees)
    const parent = { ...header, ...fees }
    next = {
      ...(fees.baseFeePerGas === undefined ? {} : { baseFeePerGas: nextBaseFee(parent, rules) }),
      ...(fees.excessBlobGas === undefined
        ? {}
        : { excessBlobGas: nextExcessBlobGas(parent, rules) }),
    }
    const { baseFeePerGas, excessBlobGas } = next
    if (baseFeePerGas === fees.baseFeePerGas && excessBlobGas === fees.excessBlobGas) return all
  }
}

/**
 * Number of the last block that can be reserved with `headers`: a block that begins a hardfork
 * is never reserved.
 *
 * @param count - maximum number of blocks
 * @param parent - the block before the first
 * @returns a number below the first block's if none can be reserved
 */
export function lastUnderRules(
  { first, origin, timestamp }: ReservedHeaders,
  count: number,
  parent: Pick<SealedBlock, 'rules'>,
  schedule: ForkSchedule,
): number {
  let [low, high] = [first, first + count - 1]
  if (origin.rules !== parent.rules) return first - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (schedule.at(BigInt(middle), timestamp(middle)) === origin.rules) low = middle
    else high = middle - 1
  }
  return high
}

/** State of the blocks in a range: no block changes it, so that it is the parent's. */
export interface ReservedState {
  readonly sealedVersion: Version
  readonly trie: StateTrie | undefined
}
