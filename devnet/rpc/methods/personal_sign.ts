import { params } from '../../json/params.ts'
import { address, data } from '../../json/schemas/hexSchemas.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf, signMessage } from '../sending/unlockedAccounts.ts'

/** As `eth_sign`, with the parameters the other way round. */
export default defineMethod({
  params: params(data(), address()),
  handle: (context, [message, account]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
