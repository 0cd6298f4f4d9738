import { address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/**
 * Drops all transactions of an account from the mempool and the pending block; the rest of that
 * block is executed again.
 */
export default defineCommand({
  params: params(address()),
  run: ({ chain }, [account]) =>
    chain.write((writer) => {
      const own = chain.unsealed().filter(({ sender }) => sender === account)
      const hashes = new Set(own.map(({ hash }) => hash))
      return writer.drop(hashes, 'dropped by hardhat_removePoolTransactions')
    }),
})
