import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'

/** Gives the pending block and all later ones another fee recipient. */
export default defineMethod({
  params: params(address()),
  browser: false,
  async handle({ chain }, [coinbase]) {
    await chain.write((turn) => turn.setCoinbase(fromHex(coinbase)))
    return true
  },
})
