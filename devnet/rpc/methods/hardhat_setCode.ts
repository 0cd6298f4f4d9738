import { fromHex } from '../../chain/bytes.ts'
import { setCode } from '../../chain/cheats.ts'
import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { accountCode } from '../schemas/accountCode.ts'
import { address } from '../schemas/hex.ts'

export default defineMethod({
  params: params(address(), accountCode()),
  browser: false,
  async handle(context, [account, code]) {
    const { chain } = context
    const cheat = setCode(account, fromHex(code), chain.engine.codes)
    await chain.write((turn) => turn.cheat(cheat))
    return done(context)
  },
})
