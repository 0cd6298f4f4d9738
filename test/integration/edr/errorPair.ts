import { ErrorCode } from '../../../devnet/primitives/errors.ts'
import type { RpcError } from './peer.ts'

/** Words of EDR, and what our node says in their place. Groups of the same name must hold the same text. */
export interface Pair {
  readonly theirs: RegExp
  readonly ours: RegExp
  readonly codes: Codes
}

/** JSON-RPC codes. */
export interface Codes {
  readonly ours: number
  readonly theirs: number
}

/** Errors that differ for one reason. */
export interface AcceptedGroup {
  readonly why: string
  readonly pairs: readonly Pair[]
}

const REFUSED: Codes = { ours: ErrorCode.server, theirs: ErrorCode.server }

/** @param codes - default: both -32000 */
export function pair(theirs: string, ours: string, codes: Codes = REFUSED): Pair {
  return {
    theirs: new RegExp(`^(?:${theirs})$`, 's'),
    ours: new RegExp(`^(?:${ours})$`, 's'),
    codes,
  }
}

/** Whether two errors are such a pair. */
export function isPair({ codes, ...words }: Pair, ours: RpcError, theirs: RpcError): boolean {
  if (codes.ours !== ours.code || codes.theirs !== theirs.code) return false
  const mine = words.ours.exec(ours.message)
  const other = words.theirs.exec(theirs.message)
  if (mine === null || other === null) return false
  return Object.entries(mine.groups ?? {}).every(
    ([name, text]) => other.groups?.[name]?.toLowerCase() === text.toLowerCase(),
  )
}
