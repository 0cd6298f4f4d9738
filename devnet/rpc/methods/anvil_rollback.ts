import { params, quantity64OrNumber } from '../../json/params.ts'
import { optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** Forgets the newest blocks; see {@link Clocks.rollback}. */
export default defineCommand({
  params: params(optional(quantity64OrNumber())),
  run: ({ clocks }, [depth = 1n]) => clocks.rollback(Number(depth)),
  answer: () => null,
})
