import { flag, params } from '../../json/params.ts'
import { packedDump } from '../../persistence/dump/dumpText.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/**
 * The chain in anvil's format: gzip of JSON that anvil loads, too. Always holds the states of old
 * blocks, for which anvil has a parameter.
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
