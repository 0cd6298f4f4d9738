import { type Hex, quantity } from '../../primitives/hex.ts'
import type { JsonFields } from '../jsonFields.ts'

/** A batch of calls that the wallet has sent, which an app asks for by its id (EIP-5792). */
export interface WalletBatch {
  /** Of the wallet. */
  readonly session: string
  /** `null` for clients other than browsers. */
  readonly origin: string | null
  readonly id: string
  readonly chainId: Hex
  /** Hash of each transaction; `undefined` if it could not be sent. */
  readonly sent: readonly (Hex | undefined)[]
  /** True if one transaction has all calls. */
  readonly isAtomic: boolean
}

/** Stands for a transaction that could not be sent. */
const NONE: Hex = `0x${'0'.repeat(64)}`

export const batchToJson = ({ session, origin, id, chainId, sent, isAtomic }: WalletBatch) => ({
  session,
  origin: origin ?? undefined,
  id,
  chain_id: chainId,
  sent: sent.map((hash) => hash ?? NONE),
  is_atomic: isAtomic,
})

/** @throws {ChainFileError} if a field is malformed */
export const batchFromJson = (json: JsonFields): WalletBatch => ({
  session: json.text('session'),
  origin: json.has('origin') ? json.text('origin') : null,
  id: json.text('id'),
  chainId: quantity(json.requiredNumber('chain_id')),
  sent: json.bytesList('sent', 32).map((hash) => (hash === NONE ? undefined : hash)),
  isAtomic: json.flag('is_atomic'),
})
