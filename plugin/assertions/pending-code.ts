import type { Hex } from '../../devnet/primitives/hex.ts'
import { type Ask, askerOf, type NodeLike } from './node.ts'
import type { CheckOptions, Outcome } from './outcome.ts'
import { checkPendingState } from './pending-state.ts'
import { addressOf, isHex, lowerCase, shown } from './subject.ts'

/**
 * Whether an account has code in the pending state.
 *
 * @param code - the code that it is to have. Default: any
 */
export async function checkPendingCode(
  subject: unknown,
  node: NodeLike,
  code: unknown,
  options: CheckOptions,
): Promise<Outcome> {
  const address = addressOf(subject)
  const expected = code === undefined ? undefined : codeOf(code)
  const ask = askerOf(node)
  const wanted = expected === undefined ? 'code' : `the given code of ${size(expected)}`
  return checkPendingState(ask, options, async () => {
    const pending = await codeAt(ask, address, 'pending')
    const latest = await codeAt(ask, address, 'latest')
    const pass = expected === undefined ? pending !== '0x' : pending === expected
    const seen = describeCode(pending, latest, expected)
    const message = `expected ${address} ${pass ? 'not ' : ''}to have ${wanted} in pending, but it has ${seen}`
    return { outcome: { pass, message, expected: expected ?? 'code', actual: pending } }
  })
}

async function codeAt(ask: Ask, address: Hex, block: 'pending' | 'latest'): Promise<Hex> {
  // The method answers bytes.
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

function codeOf(code: unknown): Hex {
  if (isHex(code) && code.length % 2 === 0) return lowerCase(code)
  throw new TypeError(`Code is given as 0x and pairs of hexadecimal digits, not as ${shown(code)}.`)
}
