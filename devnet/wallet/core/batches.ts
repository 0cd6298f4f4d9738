import { DevnetError } from '../../primitives/errors.ts'
import type { HeldBytes } from '../../primitives/heldBytes.ts'
import { heldSize } from '../../primitives/heldSize.ts'
import type { Hex } from '../../primitives/hex.ts'
import { text } from '../../primitives/reader.ts'
import type { RequestContext } from './requestContext.ts'
import { WalletErrorCode } from './walletErrors.ts'
import { list, readParams } from './walletParams.ts'

/** Maximum number of batches kept per session; the oldest are dropped first. */
const MAX_BATCHES = 1000

/** A batch of calls that was sent (EIP-5792). */
interface Batch {
  readonly id: string
  readonly chainId: Hex
  /** Hash of each transaction, one a call; `undefined` if it could not be sent. */
  readonly sent: readonly (Hex | undefined)[]
  /** True if one transaction has all calls. */
  readonly isAtomic: boolean
}

const PARAMS = list([text()], 'the id of a batch')

/** The batches of a session. Each origin sees only its own. */
export class Batches {
  readonly #batches = new Map<string, Batch>()
  /** Keys of batches that are being sent. */
  readonly #begun = new Set<string>()
  readonly #held: HeldBytes

  /** @param held - counts the batches: a client may choose ids of some thousand characters */
  constructor(held: HeldBytes) {
    this.#held = held
  }

  /** Returns the batch whose id the parameters hold. @throws {DevnetError} code 5730 if unknown */
  read({ session, client }: RequestContext, params: unknown): Batch {
    const { origin } = client
    const [id] = readParams(PARAMS, params, session.wallet.settings)
    const batch = this.#batches.get(keyOf(origin, id))
    if (batch !== undefined) return batch
    throw new DevnetError(WalletErrorCode.unknownBatch, 'There is no batch with this id')
  }

  has(origin: string | null, id: string): boolean {
    const key = keyOf(origin, id)
    return this.#batches.has(key) || this.#begun.has(key)
  }

  /** Reserves an id until its batch is added or forgotten. */
  begin(origin: string | null, id: string): void {
    this.#begun.add(keyOf(origin, id))
  }

  forget(origin: string | null, id: string): void {
    this.#begun.delete(keyOf(origin, id))
  }

  /** Forgets the batches on a chain. */
  forgetChain(chainId: Hex): void {
    for (const [key, batch] of this.#batches) {
      if (batch.chainId === chainId) this.#drop(key, batch)
    }
  }

  add(origin: string | null, batch: Batch): void {
    this.forget(origin, batch.id)
    const key = keyOf(origin, batch.id)
    while (this.#batches.size >= MAX_BATCHES || !this.#held.take(heldSize([key, batch]))) {
      const [oldest] = this.#batches
      if (oldest === undefined) return
      this.#drop(...oldest)
    }
    this.#batches.set(key, batch)
  }

  #drop(key: string, batch: Batch): void {
    this.#batches.delete(key)
    this.#held.add(-heldSize([key, batch]))
  }
}

function keyOf(origin: string | null, id: string): string {
  return JSON.stringify([origin, id])
}
