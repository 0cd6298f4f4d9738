import type { Status } from '../../devnet/types.ts'
import { isObject, isStatus, isUnknownMethod } from '../node-answers.ts'
import type { Ask } from './node.ts'

/**
 * What the node's clocks and mempool are at.
 *
 * @throws {TypeError} when what answers is none of these nodes
 */
export async function askStatus(ask: Ask): Promise<Status> {
  let status: unknown
  try {
    status = await ask('preconf_status')
  } catch (error) {
    if (!saysUnknownMethod(error)) throw error
    throw new TypeError(
      'The node is none of hardhat-pending-node: it does not know preconf_status.',
      {
        cause: error,
      },
    )
  }
  if (isStatus(status)) return status
  throw new TypeError(
    'The node is none of hardhat-pending-node: it answers preconf_status with no status.',
  )
}

/** Why nothing can become pre-confirmed now, with the way out; `undefined` while ticks run. */
export function frozenTicks({ ticks, sealing }: Status): string | undefined {
  if (ticks.running) return undefined
  const what = sealing.running ? 'the ticks are frozen' : 'both clocks are frozen'
  return `${what}: tick() or advance first`
}

/** Whether an error, or one that it wraps, says that the method is unknown: clients put the answer's error under their own. */
function saysUnknownMethod(error: unknown): boolean {
  for (let one = error; isObject(one); one = one.cause ?? one.error ?? one.info) {
    if (isUnknownMethod(one.code)) return true
  }
  return false
}
