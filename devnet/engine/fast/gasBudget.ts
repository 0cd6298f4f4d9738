import type { ForkRules } from '../../protocol/forks.ts'
import type { StateMeter } from './stateMeter.ts'

/**
 * The gas of a transaction before its outermost frame: from Amsterdam on, accounts that it creates
 * and delegations that it sets or follows are paid for there (EIP-2780).
 */
export class GasBudget {
  readonly #state: StateMeter
  /** For the outermost frame; negative if the gas does not suffice. */
  left: number

  /**
   * Splits gas into that of the outermost frame and the reservoir for state (EIP-8037).
   *
   * @param gas - without the intrinsic gas
   */
  constructor(state: StateMeter, rules: ForkRules, gas: number, intrinsic: number) {
    const { stateGas, transactionGasCap: cap } = rules
    this.#state = state
    this.left = stateGas && cap !== undefined ? Math.min(gas, Number(cap) - intrinsic) : gas
    state.begin(gas - this.left)
  }

  get isExceeded(): boolean {
    return this.left < 0
  }

  pay(gas: number): void {
    this.left -= gas
  }

  payState(gas: number): void {
    if (!this.isExceeded) this.left = this.#state.chargeFrom(this.left, gas)
  }
}
