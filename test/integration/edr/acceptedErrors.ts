import { ErrorCode } from '../../../devnet/primitives/errors.ts'
import { ACCEPTED_FAILURES } from './acceptedFailures.ts'
import { ACCEPTED_REFUSALS } from './acceptedRefusals.ts'
import { isPair } from './errorPair.ts'
import type { RpcError } from './peer.ts'

/** Every difference between the errors of both nodes that is meant. */
const PAIRS = [...ACCEPTED_FAILURES, ...ACCEPTED_REFUSALS].flatMap(({ pairs }) => pairs)

/**
 * Whether two errors say the same: word for word, as the tables have it, or both that a parameter is bad, of which each
 * says in its own words what is wrong with it.
 */
export function isAcceptedError(ours: RpcError, theirs: RpcError): boolean {
  // A revert has its bytes and nothing else in `data`; of other errors only EDR puts something there, for diagnosis.
  const sameData =
    ours.code === ErrorCode.executionReverted ? ours.data === theirs.data : ours.data === undefined
  if (!sameData) return false
  if (ours.code === theirs.code && ours.message === theirs.message) return true
  if (ours.code === ErrorCode.invalidParams && theirs.code === ours.code) return true
  return PAIRS.some((entry) => isPair(entry, ours, theirs))
}
