import { params } from '../../json/params.ts'
import { optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'
import { mine, mineRequest } from '../mineRequest.ts'

/** Ticks, then seals one block, or as many as requested. Returns `"0"`, on anvil `"0x0"`. */
export default defineCommand({
  params: params(optional(mineRequest())),
  run: (context, [request]) => mine(context, request),
  answer: ({ options }) => (options.anvil ? '0x0' : '0'),
})
