import { poolAddress } from '../../json/formatPool.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { poolBySender } from '../queries/poolAnswer.ts'

/** Like `txpool_content`, but each transaction is one line of text, in geth's format. */
export default defineMethod({
  handle(context, _params, { signal }) {
    const shown = poolAddress(context)
    return poolBySender(context, signal, ({ to, value, gasLimit, maxFeePerGas }) => {
      const receiver = to === undefined ? 'contract creation' : shown(toHex(to))
      return `${receiver}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`
    })
  },
})
