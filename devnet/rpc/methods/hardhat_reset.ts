import { params } from '../../json/params.ts'
import { anything, objectOf, optional, recordOf, text } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

const FORKING = objectOf({
  optional: {
    jsonRpcUrl: anything,
    blockNumber: anything,
    httpHeaders: recordOf(text(), 'an object of texts'),
  },
})

// Without a fork, viem sends an empty object or a block number of NaN, which is null in JSON.
const OPTIONS = objectOf({ optional: { forking: FORKING } })

/**
 * Goes back to what the node started with, and to its initial clocks and settings; with `forking`,
 * starts over on a block of another chain.
 */
export default defineCommand({
  params: params(optional(OPTIONS)),
  async run({ fork }, [given]) {
    const { jsonRpcUrl, blockNumber, httpHeaders } = given?.forking ?? {}
    if ((jsonRpcUrl ?? blockNumber ?? null) === null) await fork.restart()
    else await fork.reset({ jsonRpcUrl, blockNumber, httpHeaders })
  },
})
