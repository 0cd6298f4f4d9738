import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address, data } from '../schemas/hex.ts'
import { signMessage } from '../signMessage.ts'
import { privateKeyOf } from '../unlockedAccounts.ts'

/** As `eth_sign`, with the parameters the other way round. */
export default defineMethod({
  params: params(data(), address()),
  handle: (context, [message, account]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
