import { hash32, params } from '../../json/params.ts'
import { fromHex, toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** The code with this keccak-256 hash, of any present or past account; `null` if unknown. */
export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const code = chain.engine.codes.get(fromHex(hash))
    return code.length === 0 ? null : toHex(code)
  },
})
