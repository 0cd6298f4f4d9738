import { params } from '../../json/params.ts'
import { data } from '../../json/schemas/hexSchemas.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { send } from '../sending/send.ts'

/** See {@link send}. */
export default defineMethod({
  params: params(data()),
  ordered: ({ clocks }) => clocks.instant,
  handle: (context, [raw]) => send(context, fromHex(raw)),
})
