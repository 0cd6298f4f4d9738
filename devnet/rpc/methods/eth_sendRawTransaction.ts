import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { data } from '../schemas/hex.ts'
import { send } from '../send.ts'

/** See {@link send}. */
export default defineMethod({
  params: params(data()),
  ordered: ({ clocks }) => clocks.instant,
  handle: (context, [raw]) => send(context, fromHex(raw)),
})
