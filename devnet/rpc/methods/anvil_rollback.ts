import { params, quantity64OrNumber } from '../../json/params.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/** Forgets the newest blocks; see {@link Clocks.rollback}. */
export default defineMethod({
  params: params(optional(quantity64OrNumber())),
  browser: false,
  async handle({ clocks }, [depth = 1n]) {
    await clocks.rollback(Number(depth))
    return null
  },
})
