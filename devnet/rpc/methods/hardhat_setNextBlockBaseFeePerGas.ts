import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { quantityOrNumber } from '../schemas/quantity.ts'

/** Gives the pending block this base fee, in wei; those after it follow from it. */
export default defineMethod({
  params: params(quantityOrNumber()),
  browser: false,
  async handle({ chain }, [baseFeePerGas]) {
    await chain.write((turn) => turn.choose({ baseFeePerGas }))
    return true
  },
})
