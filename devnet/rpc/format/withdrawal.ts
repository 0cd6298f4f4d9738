import type { Withdrawal } from '../../chain/withdrawals.ts'
import type { Hex } from '../../types.ts'
import { quantity } from './quantity.ts'

/** A withdrawal as blocks show it. */
export interface FormattedWithdrawal {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Hex
  /** gwei. */
  readonly amount: Hex
}

export function formatWithdrawal(withdrawal: Withdrawal): FormattedWithdrawal {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: quantity(withdrawal.amount),
  }
}
