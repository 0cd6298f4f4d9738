import { address, data, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf, signMessage } from '../sending/unlockedAccounts.ts'

export default defineMethod({
  params: params(address(), data()),
  handle: (context, [account, message]) =>
    signMessage(fromHex(message), privateKeyOf(context, account), context.chain.engine.crypto),
})
