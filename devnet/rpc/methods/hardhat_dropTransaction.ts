import { hash32, params } from '../../json/params.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { defineMethod } from '../method.ts'

/**
 * Drops a transaction from the mempool or the pending block; the rest of that block is executed
 * again. Returns whether the transaction existed; on anvil its hash or `null`.
 */
export default defineMethod({
  params: params(hash32()),
  browser: false,
  async handle({ chain, options }, [hash]) {
    const canGo = () => {
      const found = chain.findTransaction(hash)
      if (found?.at === 'sealed' && !options.anvil) {
        throw new InvalidParamsError(
          `Transaction ${hash} cannot be dropped because it's already mined`,
        )
      }
      return found !== undefined && found.at !== 'sealed'
    }
    const existed = await chain.write(async (writer) => {
      if (!canGo()) return false
      const dropped = await writer.drop(new Set([hash]), 'dropped by hardhat_dropTransaction')
      return dropped > 0 || canGo()
    })
    if (!options.anvil) return existed
    return existed ? hash : null
  },
})
