import { setCode } from '../../chain/cheats.ts'
import { accountCode, address, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), accountCode()),
  async run(context, [account, code]) {
    const { chain } = context
    const cheat = setCode(account, fromHex(code), chain.engine.codes)
    await chain.write((job) => job.cheat(cheat))
  },
})
