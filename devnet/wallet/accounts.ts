import type { Hex } from '../types.ts'
import { UnauthorizedError } from './errors.ts'
import type { WalletContext } from './method.ts'

/** The account, if it is connected to the origin that asks. @throws {UnauthorizedError} */
export function requireAccount({ accounts }: WalletContext, account: Hex): Hex {
  if (accounts.includes(account)) return account
  throw new UnauthorizedError(account)
}

/** The account that a request names, or the first one that is connected. @throws {UnauthorizedError} */
export function senderOf(context: WalletContext, from: Hex | undefined): Hex {
  const account = from ?? context.accounts[0]
  if (account === undefined) throw new UnauthorizedError(undefined)
  return requireAccount(context, account)
}
