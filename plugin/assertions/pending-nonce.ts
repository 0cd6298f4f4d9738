import type { Hex } from '../../devnet/primitives/hex.ts'
import { type Ask, askerOf, type NodeLike } from './node.ts'
import type { CheckOptions, Outcome } from './outcome.ts'
import { checkPendingState } from './pending-state.ts'
import { poolOf } from './sighting.ts'
import { addressOf, shown } from './subject.ts'

/** Whether an account has this nonce in the pending state: its sealed and its pre-confirmed transactions, counted. */
export async function checkPendingNonce(
  subject: unknown,
  node: NodeLike,
  nonce: unknown,
  options: CheckOptions,
): Promise<Outcome> {
  const address = addressOf(subject)
  const expected = nonceOf(nonce)
  const ask = askerOf(node)
  return checkPendingState(ask, options, async () => {
    const pending = await nonceAt(ask, address, 'pending')
    const latest = await nonceAt(ask, address, 'latest')
    const pass = pending === expected
    const message = pass
      ? `expected ${address} not to have nonce ${expected} in pending, but it has, and ${latest} in latest`
      : `expected ${address} to have nonce ${expected} in pending, but it has ${pending}, and ${latest} in latest${await behindGap(ask, address)}`
    return {
      outcome: { pass, message, expected, actual: pending },
      hopeless: pending > expected,
    }
  })
}

async function nonceAt(ask: Ask, address: Hex, block: 'pending' | 'latest'): Promise<number> {
  return Number(await ask('eth_getTransactionCount', address, block))
}

/** Its transactions that do not count yet, as a part of a sentence. */
async function behindGap(ask: Ask, address: Hex): Promise<string> {
  const nonces = Object.keys((await poolOf(ask, address)).queued)
  if (nonces.length === 0) return ''
  const which = nonces.length > 10 ? `${nonces.slice(0, 10).join(', ')}, …` : nonces.join(', ')
  const subject =
    nonces.length === 1 ? 'its transaction with nonce' : 'its transactions with nonces'
  return `; ${subject} ${which} ${nonces.length === 1 ? 'waits' : 'wait'} behind a nonce gap`
}

function nonceOf(nonce: unknown): number {
  const value = typeof nonce === 'bigint' ? Number(nonce) : nonce
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`A nonce is an integer from 0 on, not ${shown(nonce)}.`)
}
