import { address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'
import { unsealedTransactions } from '../unsealed.ts'

/**
 * Drops all transactions of an account from the mempool and the pending block; the rest of that
 * block is executed again.
 */
export default defineCommand({
  params: params(address()),
  run: ({ chain }, [account]) =>
    chain.write((writer) => {
      const own = unsealedTransactions(chain).filter(({ sender }) => sender === account)
      const hashes = new Set(own.map(({ hash }) => hash))
      return writer.drop(hashes, 'dropped by hardhat_removePoolTransactions')
    }),
})
