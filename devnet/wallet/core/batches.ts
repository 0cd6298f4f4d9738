import * as z from 'zod'
import { DevnetError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { WalletErrorCode } from './walletErrors.ts'
import type { WalletContext } from './walletMethod.ts'
import { list, must, readParams } from './walletParams.ts'

/** Batches that are remembered; older ones are unknown again. */
const MOST_BATCHES = 1000

/** One call of a batch: its hash, or `undefined` where it failed while it was sent. */
export type BatchCall = Hex | undefined

/** A batch of calls that was sent (EIP-5792). */
export interface Batch {
  readonly id: string
  readonly chainId: Hex
  readonly calls: readonly BatchCall[]
}

/** The batches of a session. An origin sees only its own. */
export class Batches {
  readonly #batches = new Map<string, Batch>()
  /** Whose calls are being sent. */
  readonly #begun = new Set<string>()

  find(origin: string | null, id: string): Batch | undefined {
    return this.#batches.get(keyOf(origin, id))
  }

  /** Whether the id is taken. */
  has(origin: string | null, id: string): boolean {
    const key = keyOf(origin, id)
    return this.#batches.has(key) || this.#begun.has(key)
  }

  /** Takes an id, until its batch is added or nothing of it could be sent. */
  begin(origin: string | null, id: string): void {
    this.#begun.add(keyOf(origin, id))
  }

  forget(origin: string | null, id: string): void {
    this.#begun.delete(keyOf(origin, id))
  }

  add(origin: string | null, batch: Batch): void {
    this.forget(origin, batch.id)
    this.#batches.set(keyOf(origin, batch.id), batch)
    const [oldest] = this.#batches.keys()
    if (this.#batches.size > MOST_BATCHES && oldest !== undefined) this.#batches.delete(oldest)
  }
}

function keyOf(origin: string | null, id: string): string {
  return JSON.stringify([origin, id])
}

const PARAMS = list([z.string(must('a text'))], 'the id of a batch')

/** The batch that the parameters name, if the same origin sent it. @throws {DevnetError} code 5730 */
export function requireBatch({ session, client }: WalletContext, params: unknown): Batch {
  const [id] = readParams(PARAMS, params)
  const batch = session.batches.find(client.origin, id)
  if (batch !== undefined) return batch
  throw new DevnetError(WalletErrorCode.unknownBatch, 'There is no batch with this id')
}
