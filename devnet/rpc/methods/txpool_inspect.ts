import { bySender, checksumAddress, listPool, type PoolEntry } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** Like `txpool_content`, but each transaction is one line of text, in geth's format. */
export default defineMethod({
  handle({ chain }) {
    const { keccak256 } = chain.engine.crypto
    const describe = ({ transaction, formatted }: PoolEntry) => {
      const to =
        formatted.to === null ? 'contract creation' : checksumAddress(formatted.to, keccak256)
      return `${to}: ${transaction.value} wei + ${transaction.gasLimit} gas × ${transaction.maxFeePerGas} wei`
    }
    return afterSubmissions(chain, () => {
      const { pending, queued } = listPool(chain)
      return {
        pending: bySender(pending, keccak256, describe),
        queued: bySender(queued, keccak256, describe),
      }
    })
  },
})
