import * as z from 'zod'
import { params, wanted } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

const FORKING = z.looseObject(
  {
    jsonRpcUrl: z.unknown().optional(),
    blockNumber: z.unknown().optional(),
    httpHeaders: z.record(z.string(), z.string(), wanted('an object of texts')).nullish(),
  },
  wanted('an object'),
)

// Without a fork, viem sends an empty object or a block number of NaN, which is null in JSON.
const OPTIONS = z.looseObject({ forking: FORKING.nullish() }, wanted('an object'))

/**
 * Goes back to what the node started with, and to its initial clocks and settings; with `forking`,
 * starts over on a block of another chain.
 */
export default defineCommand({
  params: params(OPTIONS.optional()),
  async run({ fork }, [given]) {
    const { jsonRpcUrl, blockNumber, httpHeaders } = given?.forking ?? {}
    if ((jsonRpcUrl ?? blockNumber ?? null) === null) await fork.restart()
    else await fork.reset({ jsonRpcUrl, blockNumber, httpHeaders })
  },
})
