import { params } from '../../json/params.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { mine, mineRequest } from '../mineRequest.ts'

/** Ticks, then seals one block, or as many as requested. Returns `"0"`, on anvil `"0x0"`. */
export default defineMethod({
  params: params(optional(mineRequest())),
  browser: false,
  async handle(context, [request]) {
    await mine(context, request)
    return context.options.anvil ? '0x0' : '0'
  },
})
