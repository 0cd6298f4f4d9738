import { type Hex, toHex } from '../primitives/hex.ts'
import { GOLDEN, Random } from '../primitives/random.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { FaultKind, FaultRule } from './types.ts'

/** Number of the values that are drawn to compare with a probability. */
const FRACTIONS = 2 ** 32

export type RuleOf<Kind extends FaultKind> = Extract<FaultRule, { readonly kind: Kind }>

export class Rule<Spec extends FaultRule = FaultRule> {
  readonly spec: Spec
  /** Index in the script. */
  readonly index: number
  /** Used by this rule only, so that other rules do not change its choices. */
  readonly random: Random
  #fired = 0

  constructor(spec: Spec, index: number, seed: number) {
    this.spec = spec
    this.index = index
    // Gives each rule of a script another sequence of random numbers.
    this.random = new Random(seed ^ Math.imul(index + 1, GOLDEN))
  }

  get fired(): number {
    return this.#fired
  }

  get isSpent(): boolean {
    return this.#fired >= (this.spec.next ?? Number.POSITIVE_INFINITY)
  }

  /** Fires at a chance that its other limits allow, unless the draw is against it. */
  tryToFire(): boolean {
    const { probability = 1 } = this.spec
    if (this.isSpent) return false
    if (probability < 1 && this.random.below(FRACTIONS) >= probability * FRACTIONS) return false
    this.#fired++
    return true
  }
}

/** True if a value that a rule names, if it names one, is this one. */
export function allows<Value>(named: Value | undefined, value: Value): boolean {
  return named === undefined || named === value
}

/** True if a rule is about this transaction. None is about a deposit of the OP Stack. */
export function isAbout(
  { from, address, hash, nonce }: RuleOf<'drop' | 'hold'>,
  transaction: ChainTransaction,
  executed?: Pick<ExecutedTransaction, 'contractAddress' | 'logs'>,
): boolean {
  return (
    transaction.deposit === undefined &&
    allows(hash, transaction.hash) &&
    allows(from, transaction.sender) &&
    allows(nonce, Number(transaction.nonce)) &&
    (address === undefined || isNamed(address, transaction, executed))
  )
}

function isNamed(
  address: Hex,
  { to }: ChainTransaction,
  executed: Pick<ExecutedTransaction, 'contractAddress' | 'logs'> | undefined,
): boolean {
  if (to !== undefined && toHex(to) === address) return true
  if (executed === undefined) return false
  const { contractAddress, logs } = executed
  if (contractAddress !== undefined && toHex(contractAddress) === address) return true
  return logs.some(([emitter]) => toHex(emitter) === address)
}
