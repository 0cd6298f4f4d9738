import { defineCommand } from '../method.ts'
import { unsealedTransactions } from '../unsealed.ts'

/** Empties the mempool and the pending block. */
export default defineCommand({
  run: ({ chain }) =>
    chain.write((writer) => {
      const hashes = unsealedTransactions(chain).map(({ hash }) => hash)
      return writer.drop(new Set(hashes), 'dropped by hardhat_dropAllTransactions')
    }),
})
