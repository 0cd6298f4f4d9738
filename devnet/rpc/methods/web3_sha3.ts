import { fromHex, toHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { data } from '../schemas/hex.ts'

export default defineMethod({
  params: params(data()),
  handle: ({ chain }, [bytes]) => toHex(chain.engine.crypto.keccak256(fromHex(bytes))),
})
