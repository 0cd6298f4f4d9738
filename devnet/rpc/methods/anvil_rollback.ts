import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Forgets the newest blocks; see {@link Clocks.rollback}. */
export default defineMethod({
  params: params(quantity64OrNumber().optional()),
  browser: false,
  async handle({ clocks }, [depth = 1n]) {
    await clocks.rollback(Number(depth))
    return null
  },
})
