import { params, quantity64OrNumber } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineMethod } from '../method.ts'

/**
 * Sets the gas limit of the pending block and all later ones. Drops waiting transactions that want
 * more gas.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ clocks }, [gasLimit]) {
    if (gasLimit === 0n) throw new RefusedError('Block gas limit must be greater than 0')
    await clocks.choose((writer) => writer.set({ gasLimit }))
    return true
  },
})
