import { address, params, quantity } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { setTokenValue } from '../sending/setTokenValue.ts'

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231'

/** Sets the balance of an account in an ERC-20 token. */
export default defineMethod({
  params: params(address(), address(), quantity()),
  browser: false,
  handle: (context, [account, token, amount], caller) =>
    setTokenValue(context, { token, selector: BALANCE_OF, addresses: [account] }, amount, caller),
})
