import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Goes back to a snapshot; it and all later ones end. Answers false where there is no such snapshot. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle: ({ chain }, [id]) => chain.write((job) => job.revert(Number(id))),
})
