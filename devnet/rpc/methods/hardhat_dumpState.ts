import { params } from '../../json/params.ts'
import { packedDump } from '../../persistence/dump/dumpText.ts'
import { toHex } from '../../primitives/hex.ts'
import { flag, optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/**
 * The chain in anvil's format: gzipped JSON that anvil can load, too. It always includes the states
 * of old blocks; anvil includes them only if a parameter asks for it.
 */
export default defineMethod({
  params: params(optional(flag())),
  browser: false,
  async handle({ chain, clocks }, _, { signal }) {
    const capture = await clocks.command(() => ({
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
