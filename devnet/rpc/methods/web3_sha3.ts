import { data, params } from '../../json/params.ts'
import { fromHex, toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(data()),
  handle: ({ chain }, [bytes]) => toHex(chain.engine.crypto.keccak256(fromHex(bytes))),
})
