import type { Status } from '../../devnet/types.ts'
import { type Ask, isObject } from './node.ts'

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
    if (!isUnknownMethod(error)) throw error
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

/** -32601 by JSON-RPC; -32004 is what `hardhat node` says (EIP-1474). Clients put the answer's error under their own. */
function isUnknownMethod(error: unknown): boolean {
  for (let one = error; isObject(one); one = one.cause ?? one.error ?? one.info) {
    if (one.code === -32601 || one.code === -32004) return true
  }
  return false
}

/** Looks at the parts only: a node that knows the method answers with a whole status. */
function isStatus(value: unknown): value is Status {
  const parts = ['ticks', 'sealing', 'latest', 'pending', 'mempool']
  return isObject(value) && parts.every((part) => isObject(value[part]))
}
