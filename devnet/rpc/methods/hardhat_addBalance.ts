import { address, params, quantity } from '../../json/params.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { EMPTY_ACCOUNT, MAX_BALANCE } from '../../state/accounts.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineCommand } from '../method.ts'

/** Adds wei to the balance of an account. */
export default defineCommand({
  params: params(address(), quantity()),
  run: ({ chain, clocks }, [address, amount]) =>
    clocks.command((writer) => {
      const { balance } = chain.pending.state.account(addressKeyFromHex(address)) ?? EMPTY_ACCOUNT
      if (balance + amount > MAX_BALANCE) {
        throw new InvalidParamsError(
          `${address} has ${balance} wei, and cannot have ${amount} more: a balance is less than 2^256`,
        )
      }
      return writer.cheat({ kind: 'addBalance', address, amount })
    }),
})
