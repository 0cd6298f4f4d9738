import { params } from '../../json/params.ts'
import { address, data } from '../../json/schemas/hexSchemas.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf, signMessage } from '../sending/unlockedAccounts.ts'

export default defineMethod({
  params: params(address(), data()),
  handle: (context, [account, message]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
