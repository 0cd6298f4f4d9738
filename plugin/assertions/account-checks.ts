import type { Hex, Status } from '../../devnet/index.ts'
import { isBytes, plainText } from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import { addressOf, askerOf, askStatus, lowerCase, type NodeLike, quote } from './arguments.ts'
import { type Check, type Look, outcomeOf, type WaitOptions } from './outcome.ts'
import { frozenTicks, poolOf, tickTimeout } from './transaction-state.ts'

/** Checks that an account has code in the pending state: the given one as hex, or any. */
export const checkPendingCode: Check<[code?: unknown, options?: WaitOptions]> = async (
  ...[negated, subject, node, code, options]
) => {
  const address = addressOf(subject)
  const expected = code === undefined ? undefined : codeOf(code)
  return check<Hex>({ ...options, negated }, node, {
    subject: address,
    wanted: expected === undefined ? 'code' : `the given code of ${size(expected)}`,
    expected: expected ?? 'code',
    // `eth_getCode` returns hex.
    read: async (ask, block) => lowerCase((await ask('eth_getCode', address, block)) as Hex),
    async judge(pending, latest) {
      const pass = expected === undefined ? pending !== '0x' : pending === expected
      return { pass, found: `it has ${describeCode(pending, latest, expected)}`, final: pass }
    },
  })
}

function codeOf(code: unknown): Hex {
  if (isBytes(code)) return lowerCase(code)
  throw new TypeError(`Code is given as 0x and pairs of hexadecimal digits, not as ${quote(code)}.`)
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
export const checkPendingNonce: Check<[nonce: unknown, options?: WaitOptions]> = async (
  ...[negated, subject, node, nonce, options]
) => {
  const address = addressOf(subject)
  const expected = nonceOf(nonce)
  return check<number>({ ...options, negated }, node, {
    subject: address,
    wanted: `nonce ${expected}`,
    expected,
    read: async (ask, block) =>
      Number(plainText(await ask('eth_getTransactionCount', address, block))),
    async judge(pending, latest, ask) {
      const pass = pending === expected
      const found = pass
        ? `it has, and ${latest} in latest`
        : `it has ${pending}, and ${latest} in latest${await behindGap(ask, address)}`
      return { pass, found, final: pending >= expected }
    },
  })
}

function nonceOf(nonce: unknown): number {
  const value = typeof nonce === 'bigint' ? Number(nonce) : nonce
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new TypeError(`A nonce is a non-negative integer, not ${quote(nonce)}.`)
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

/** An assertion about the pending state of an account. */
interface Claim<Value> {
  readonly subject: Hex
  /** Behind `expected 0x… to have`. */
  readonly wanted: string
  readonly expected: unknown
  read(ask: Ask, block: 'pending' | 'latest'): Promise<Value>
  /** It is final if no tick can change the result. */
  judge(pending: Value, latest: Value, ask: Ask): Promise<Omit<Look, 'actual'>>
}

/**
 * Looks at the pending state until the assertion passes or no tick can change the result. A negated
 * assertion is checked after the runnable transactions have had their tick.
 */
async function check<Value>(
  { negated, timeout }: WaitOptions & { readonly negated: boolean },
  node: NodeLike,
  { wanted, read, judge, ...rest }: Claim<Value>,
) {
  const ask = askerOf(node)
  const look = async () => {
    const actual = await read(ask, 'pending')
    return { ...(await judge(actual, await read(ask, 'latest'), ask)), actual }
  }
  const claim = { ...rest, wanted: `have ${wanted} in pending` }
  const longest = async () => tickTimeout(await askStatus(ask))
  return outcomeOf(claim, { timeout, negated: false }, longest, async () => {
    const first = negated ? undefined : await look()
    if (first?.final) return first
    // Read before the look, so that with frozen ticks the look shows the final state.
    const status = await askStatus(ask)
    const ticksRun = frozenTicks(status) === undefined
    const second = await look()
    if (negated) {
      const waits = ticksRun && status.mempool.runnable > 0
      return { ...second, final: second.pass || !waits }
    }
    if (second.final) return second
    return { ...second, found: second.found + frozenHint(status), final: !ticksRun }
  })
}

/** Says that ticks are frozen, if a runnable transaction waits for them. */
function frozenHint(status: Status): string {
  const frozen = frozenTicks(status)
  const { runnable } = status.mempool
  if (frozen === undefined || runnable === 0) return ''
  const waiting = runnable === 1 ? '1 transaction waits' : `${runnable} transactions wait`
  return `; ${waiting} in the mempool, and ${frozen}`
}
