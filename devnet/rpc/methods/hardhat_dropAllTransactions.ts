import { defineCommand } from '../method.ts'

/** Empties the mempool and the pending block. */
export default defineCommand({
  run: ({ chain }) =>
    chain.write((writer) => {
      const hashes = chain.unsealed().map(({ hash }) => hash)
      return writer.drop(new Set(hashes), 'dropped by hardhat_dropAllTransactions')
    }),
})
