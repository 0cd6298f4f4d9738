import { data, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { send } from '../sending/send.ts'

export default defineMethod({
  params: params(data()),
  takesSigned: true,
  ordered: ({ clocks }) => clocks.instant,
  handle: (context, [raw], caller) => send(context, fromHex(raw), caller),
})
