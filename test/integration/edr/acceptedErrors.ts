import { ErrorCode } from '../../../devnet/primitives/errors.ts'
import { isObject } from '../../../devnet/primitives/json.ts'
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
  if (!isMeantData(ours, theirs)) return false
  if (ours.code === theirs.code && ours.message === theirs.message) return true
  if (ours.code === ErrorCode.invalidParams && theirs.code === ours.code) return true
  return PAIRS.some((entry) => isPair(entry, ours, theirs))
}

/**
 * A revert has its bytes and nothing else in `data`. A send that halts names its transaction there, as `hardhat node`
 * does; EDR names it too, or puts other things there, for diagnosis. Other errors of ours have no data.
 */
function isMeantData(ours: RpcError, theirs: RpcError): boolean {
  if (ours.code === ErrorCode.executionReverted) return ours.data === theirs.data
  if (!isObject(ours.data)) return ours.data === undefined
  const { message, data, txHash } = ours.data
  const hash = isObject(theirs.data) ? (theirs.data.transactionHash ?? txHash) : txHash
  return message === ours.message && data === '0x' && typeof txHash === 'string' && hash === txHash
}
