import { params, quantity64OrNumber } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/**
 * Sets the gas limit of the pending block and all later ones. Drops waiting transactions that want
 * more gas.
 */
export default defineCommand({
  params: params(quantity64OrNumber()),
  run({ clocks }, [gasLimit]) {
    if (gasLimit === 0n) throw new RefusedError('Block gas limit must be greater than 0')
    return clocks.choose((writer) => writer.set({ gasLimit }))
  },
  answer: () => true,
})
