import { setCode } from '../../chain/cheats.ts'
import { params } from '../../json/params.ts'
import { accountCode, address } from '../../json/schemas/hexSchemas.ts'
import { fromHex } from '../../primitives/hex.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), accountCode()),
  browser: false,
  async handle(context, [account, code]) {
    const { chain } = context
    const cheat = setCode(account, fromHex(code), chain.engine.codes)
    await chain.write((job) => job.cheat(cheat))
    return done(context)
  },
})
