import type { Hex, Status } from '../../devnet/index.ts'
import { isBytes, plainText } from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import { addressOf, askerOf, askStatus, lowerCase, type NodeLike, shown } from './arguments.ts'
import { type CheckOptions, lookUntilFinal, type Outcome } from './outcome.ts'
import { frozenTicks, poolOf, tickTimeout } from './transaction-state.ts'

/**
 * Checks that an account has code in the pending state.
 *
 * @param options.code - the expected code as hex. Default: any code
 */
export async function checkPendingCode(
  subject: unknown,
  node: NodeLike,
  { code, ...options }: CheckOptions & { readonly code: unknown },
): Promise<Outcome> {
  const address = addressOf(subject)
  const expected = code === undefined ? undefined : codeOf(code)
  const ask = askerOf(node)
  const wanted = expected === undefined ? 'code' : `the given code of ${size(expected)}`
  return checkPendingState(ask, options, async () => {
    const pending = await codeAt(ask, address, 'pending')
    const latest = await codeAt(ask, address, 'latest')
    const pass = expected === undefined ? pending !== '0x' : pending === expected
    const found = describeCode(pending, latest, expected)
    const message = `expected ${address} ${pass ? 'not ' : ''}to have ${wanted} in pending, but it has ${found}`
    return { outcome: { pass, message, expected: expected ?? 'code', actual: pending } }
  })
}

function codeOf(code: unknown): Hex {
  if (isBytes(code)) return lowerCase(code)
  throw new TypeError(`Code is given as 0x and pairs of hexadecimal digits, not as ${shown(code)}.`)
}

async function codeAt(ask: Ask, address: Hex, block: 'pending' | 'latest'): Promise<Hex> {
  // `eth_getCode` returns hex.
  return lowerCase((await ask('eth_getCode', address, block)) as Hex)
}

function describeCode(pending: Hex, latest: Hex, expected: Hex | undefined): string {
  if (pending === '0x') {
    return latest === '0x' ? 'none, and none in latest' : `none; in latest it has ${size(latest)}`
  }
  const inLatest =
    latest === pending
      ? 'and latest already has it'
      : latest === '0x'
        ? 'which latest does not have yet'
        : `and other code, of ${size(latest)}, in latest`
  const which = expected === undefined || expected === pending ? '' : 'other code, of '
  return `${which}${size(pending)}, ${inLatest}`
}

function size(code: Hex): string {
  const bytes = (code.length - 2) / 2
  return bytes === 1 ? '1 byte' : `${bytes} bytes`
}

/** Checks the nonce in the pending state, which counts sealed and pre-confirmed transactions. */
export async function checkPendingNonce(
  subject: unknown,
  node: NodeLike,
  { nonce, ...options }: CheckOptions & { readonly nonce: unknown },
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

function nonceOf(nonce: unknown): number {
  const value = typeof nonce === 'bigint' ? Number(nonce) : nonce
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`A nonce is a non-negative integer, not ${shown(nonce)}.`)
}

async function nonceAt(ask: Ask, address: Hex, block: 'pending' | 'latest'): Promise<number> {
  return Number(plainText(await ask('eth_getTransactionCount', address, block)))
}

/** Text that lists the account's transactions behind a nonce gap; empty if there are none. */
async function behindGap(ask: Ask, address: Hex): Promise<string> {
  const nonces = Object.keys((await poolOf(ask, address)).queued)
  if (nonces.length === 0) return ''
  if (nonces.length === 1)
    return `; its transaction with nonce ${nonces[0]} waits behind a nonce gap`
  const some = `${nonces.slice(0, 10).join(', ')}${nonces.length > 10 ? ', …' : ''}`
  return `; its transactions with nonces ${some} wait behind a nonce gap`
}

/** One look at the pending state; `hopeless` if no tick can make the assertion pass. */
interface StateLook {
  readonly outcome: Outcome
  readonly hopeless?: boolean
}

/**
 * Looks at the pending state until the assertion passes or no tick can change the result. A negated
 * assertion is checked after the runnable transactions have had their tick.
 */
async function checkPendingState(
  ask: Ask,
  options: CheckOptions,
  look: () => Promise<StateLook>,
): Promise<Outcome> {
  const timeout = async () => tickTimeout(await askStatus(ask))
  return lookUntilFinal({ ...options, negated: false }, timeout, async () => {
    if (!options.negated) {
      const { outcome, hopeless } = await look()
      if (outcome.pass || hopeless === true) return { outcome, final: true }
    }
    // Read before the look, so that with frozen ticks the look shows the final state.
    const status = await askStatus(ask)
    const ticksRun = frozenTicks(status) === undefined
    const { outcome } = await look()
    if (options.negated) {
      const waits = ticksRun && status.mempool.runnable > 0
      return { outcome, final: outcome.pass || !waits }
    }
    if (outcome.pass) return { outcome, final: true }
    return { outcome: withReason(outcome, status), final: !ticksRun }
  })
}

/** Adds to the message that ticks are frozen, if a runnable transaction waits for them. */
function withReason(outcome: Outcome, status: Status): Outcome {
  const frozen = frozenTicks(status)
  const { runnable } = status.mempool
  if (frozen === undefined || runnable === 0) return outcome
  const waiting = runnable === 1 ? '1 transaction waits' : `${runnable} transactions wait`
  return { ...outcome, message: `${outcome.message}; ${waiting} in the mempool, and ${frozen}` }
}
