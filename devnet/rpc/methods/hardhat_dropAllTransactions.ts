import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'
import { unsealedTransactions } from '../unsealed.ts'

/** Empties the mempool and the pending block. */
export default defineMethod({
  browser: false,
  async handle(context) {
    const { chain } = context
    await chain.write((job) => {
      const hashes = unsealedTransactions(chain).map(({ hash }) => hash)
      return job.drop(new Set(hashes), 'dropped by hardhat_dropAllTransactions')
    })
    return done(context)
  },
})
