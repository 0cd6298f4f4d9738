import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Reverts to a snapshot; deletes it and all later ones. Returns whether it existed. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle: ({ clocks }, [id]) => clocks.command((writer) => writer.revert(Number(id))),
})
