import type { WalletBatch } from '../../persistence/dump/walletBatches.ts'
import { DevnetError } from '../../primitives/errors.ts'
import { type HeldBytes, heldSize } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import { text } from '../../primitives/reader.ts'
import type { RequestContext } from './requestContext.ts'
import { WalletErrorCode } from './walletErrors.ts'
import { list, readParams } from './walletParams.ts'

/** Maximum number of batches kept per session, and saved; the oldest are dropped first. */
export const MAX_BATCHES = 1000

const PARAMS = list([text()], 'the id of a batch')

/** The batches of a session. Each origin sees only its own. */
export class Batches {
  readonly #batches = new Map<string, WalletBatch>()
  /** Keys of batches that are being sent. */
  readonly #begun = new Set<string>()
  readonly #held: HeldBytes

  /**
   * @param held - counts the batches: a client may choose ids of some thousand characters
   * @param saved - those of an earlier run of the node
   */
  constructor(held: HeldBytes, saved: readonly WalletBatch[] = []) {
    this.#held = held
    for (const batch of saved) this.add(batch)
  }

  list(): WalletBatch[] {
    return [...this.#batches.values()]
  }

  /** Returns the batch whose id the parameters hold. @throws {DevnetError} code 5730 if unknown */
  read({ session, client }: RequestContext, params: unknown): WalletBatch {
    const { origin } = client
    const [id] = readParams(PARAMS, params, session.wallet.settings)
    const batch = this.#batches.get(batchKey(origin, id))
    if (batch !== undefined) return batch
    throw new DevnetError(WalletErrorCode.unknownBatch, 'There is no batch with this id')
  }

  has(origin: string | null, id: string): boolean {
    const key = batchKey(origin, id)
    return this.#batches.has(key) || this.#begun.has(key)
  }

  /** Reserves an id until its batch is added or forgotten. */
  begin(origin: string | null, id: string): void {
    this.#begun.add(batchKey(origin, id))
  }

  forget(origin: string | null, id: string): void {
    this.#begun.delete(batchKey(origin, id))
  }

  /** Forgets the batches on a chain. */
  forgetChain(chainId: Hex): void {
    for (const [key, batch] of this.#batches) {
      if (batch.chainId === chainId) this.#drop(key, batch)
    }
  }

  add(batch: WalletBatch): void {
    const { origin, id } = batch
    this.forget(origin, id)
    const key = batchKey(origin, id)
    while (this.#batches.size >= MAX_BATCHES || !this.#held.take(heldSize([key, batch]))) {
      const [oldest] = this.#batches
      if (oldest === undefined) return
      this.#drop(...oldest)
    }
    this.#batches.set(key, batch)
  }

  #drop(key: string, batch: WalletBatch): void {
    this.#batches.delete(key)
    this.#held.add(-heldSize([key, batch]))
  }
}

function batchKey(origin: string | null, id: string): string {
  return JSON.stringify([origin, id])
}
