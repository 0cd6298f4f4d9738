import { blocksOf, withMilliseconds } from '../json/milliseconds.ts'
import type { Profile } from '../options/profile.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { DevnetError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'
import type { RpcContext } from './context.ts'
import type { RpcMethod } from './method.ts'

/**
 * Answers a request of a method with the context that `answer` gets, in the form of a network.
 *
 * @param answers - what the method answers
 */
type Show = (
  name: string,
  answer: (context: RpcContext) => unknown,
  answers?: RpcMethod['answers'],
) => unknown

/**
 * Shows the methods' answers as the profile of a node does; `undefined` in profile `plain`, which
 * shows it as it is. Only methods of networks differ: `debug_`, `ots_`, `preconf_` and the like are
 * tools of this node, and see all of it.
 */
export function createShow(context: RpcContext): Show | undefined {
  const { profile } = context
  if (profile.aware === 'all') return undefined
  const aware = { ...context, sight: { profile, isAware: true } }
  const unaware = { ...context, sight: { profile, isAware: false } }
  const methods = new Set(profile.aware)
  const lacksWithdrawals = profile.pendingZeros.includes('withdrawalsRoot')
  const asShown = (answers: RpcMethod['answers'], result: unknown) => {
    if (lacksWithdrawals && isObject(result) && result.stateRoot === ZERO_ROOT) {
      return { ...result, withdrawalsRoot: ZERO_ROOT }
    }
    if (!profile.milliseconds || answers === undefined) return result
    // Logs come as text.
    const value = result instanceof JsonText ? JSON.parse(result.text) : result
    return withMilliseconds(blocksOf(context.chain), value)
  }
  return (name, answer, answers) => {
    if (!/^(?:eth|realtime)_/.test(name)) return answer(context)
    try {
      const result = answer(methods.has(name) ? aware : unaware)
      if (!(result instanceof Promise)) return asShown(answers, result)
      return result.then(
        (value: unknown) => asShown(answers, value),
        (error: unknown) => {
          throw withCodeOf(profile, error)
        },
      )
    } catch (error) {
      throw withCodeOf(profile, error)
    }
  }
}

/** In place of a root that only the seal computes. */
const ZERO_ROOT = toHex(ZERO_HASH)

/** Code of reth, whose messages are geth's (EIP-1474: transaction rejected). */
const REJECTED = -32003

function withCodeOf({ errors }: Profile, error: unknown): unknown {
  if (errors !== 'reth' || !(error instanceof DevnetError) || !error.isRejection) return error
  return new DevnetError(REJECTED, error.message, { cause: error, data: error.data })
}
