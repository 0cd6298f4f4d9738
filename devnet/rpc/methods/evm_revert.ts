import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Reverts to a snapshot, which ends it and all later ones. Answers whether it existed. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle: ({ chain }, [id]) => chain.write((job) => job.revert(Number(id))),
})
