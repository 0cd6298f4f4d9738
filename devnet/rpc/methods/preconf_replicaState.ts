import { packedDump } from '../../persistence/dump/dumpText.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { payloadId } from '../../stream/raw/flashblock.ts'
import { defineMethod } from '../method.ts'

/**
 * The beginning for a node that follows this one's stream: the chain, without what waits in the
 * mempool, the last message of the stream that it holds, and the limits of its hardforks. Unlike a
 * dump, it takes nothing that was sent before.
 */
export default defineMethod({
  browser: false,
  async handle({ chain, clocks, options, profile }, _, { signal }) {
    if (profile.metadata !== 'whole') {
      throw new RefusedError(
        `it runs with --profile ${options.profile}, whose stream leaves out what a replica needs, such as cheats and the senders of unsigned transactions: start it with --profile plain to follow it`,
      )
    }
    if (chain.origin !== undefined) {
      throw new RefusedError(
        'it stands on a block of another chain, and has only what was read of that one: follow a node that was started without --fork',
      )
    }
    const { capture, position } = await chain.writeNow(() => ({
      capture: {
        ...chain.capture(),
        mempool: [],
        // An empty pending block keeps its timestamp only if time does not run.
        clock: { ...clocks.save(), time: { stopped: clocks.now } },
        instanceId: undefined,
      },
      position: chain.published,
    }))
    try {
      return {
        state: toHex(await packedDump(capture, signal)),
        payloadId: payloadId(position.build),
        index: position.index,
        codeSizeLimit: options.codeSizeLimit ?? null,
        transactionGasCap: options.transactionGasCap ?? null,
      }
    } finally {
      capture.release()
    }
  },
})
