import { flag, params } from '../../json/params.ts'
import { packedDump } from '../../persistence/dump/dumpText.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/**
 * The chain as anvil dumps it: gzip of JSON that anvil loads too. The states of old blocks, which anvil adds when asked for
 * by the parameter, are always in it.
 */
export default defineMethod({
  params: params(flag().optional()),
  browser: false,
  async handle({ chain, clocks }, _, { signal }) {
    const capture = await chain.write(() => ({
      ...chain.capture(),
      clock: clocks.save(),
      instanceId: undefined,
    }))
    try {
      return toHex(await packedDump(capture, signal))
    } finally {
      capture.release()
    }
  },
})
