import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { storageSlot } from '../schemas/hex.ts'

/** Gives the pending block this prevRandao, of up to 32 bytes. */
export default defineMethod({
  params: params(storageSlot()),
  browser: false,
  async handle({ chain }, [prevRandao]) {
    await chain.write((turn) => turn.choose({ prevRandao: fromHex(prevRandao) }))
    return true
  },
})
