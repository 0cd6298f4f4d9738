import { address, data, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf, signMessage } from '../sending/unlockedAccounts.ts'

/** As `eth_sign`, with the parameters swapped. */
export default defineMethod({
  params: params(data(), address()),
  handle: (context, [message, account]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
