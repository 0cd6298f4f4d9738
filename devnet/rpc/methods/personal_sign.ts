import { address, data, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf, signMessage } from '../sending/unlockedAccounts.ts'

/** Like `eth_sign`, but with the parameters swapped. */
export default defineMethod({
  params: params(data(), address()),
  handle: (context, [message, account]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
