import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address, data } from '../schemas/hex.ts'
import { signMessage } from '../signMessage.ts'
import { privateKeyOf } from '../unlockedAccounts.ts'

export default defineMethod({
  params: params(address(), data()),
  handle: (context, [account, message]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
