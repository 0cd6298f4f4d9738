import { params, quantity64OrNumber } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineMethod } from '../method.ts'

/** Sets the gas limit of the pending block and all later ones. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ chain }, [gasLimit]) {
    if (gasLimit === 0n) throw new RefusedError('Block gas limit must be greater than 0')
    await chain.write((job) => job.set({ gasLimit }))
    return true
  },
})
