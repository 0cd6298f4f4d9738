import { bySender, listPool, type PoolEntry, poolAddress } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** Like `txpool_content`, but each transaction is one line of text, in geth's format. */
export default defineMethod({
  handle({ chain, options }) {
    const shown = poolAddress({ chain, options })
    const describe = ({ transaction, formatted }: PoolEntry) => {
      const to = formatted.to === null ? 'contract creation' : shown(formatted.to)
      return `${to}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${transaction.maxFeePerGas} wei`
    }
    return afterSubmissions(chain, () => {
      const { pending, queued } = listPool(chain)
      return {
        pending: bySender(pending, shown, describe),
        queued: bySender(queued, shown, describe),
      }
    })
  },
})
