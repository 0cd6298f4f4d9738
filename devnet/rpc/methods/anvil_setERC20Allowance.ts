import { address, params, quantity } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { setTokenValue } from '../sending/setTokenValue.ts'

/** Selector of `allowance(address,address)`. */
const ALLOWANCE = '0xdd62ed3e'

/** Sets what an owner allows a spender to take in an ERC-20 token. */
export default defineMethod({
  params: params(address(), address(), address(), quantity()),
  browser: false,
  handle(context, [owner, spender, token, amount], caller) {
    const view = { token, selector: ALLOWANCE, addresses: [owner, spender] } as const
    return setTokenValue(context, view, amount, caller)
  },
})
