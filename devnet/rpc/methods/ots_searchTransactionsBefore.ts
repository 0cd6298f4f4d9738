import { formatOccurrences } from '../../json/formatOtterscan.ts'
import { address, params, quantity64OrNumber } from '../../json/params.ts'
import { pageSize } from '../../json/schemas/pageSize.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { indexAddresses } from '../queries/indexAddresses.ts'

/** Sealed transactions of an address before a block, or the newest ones (block 0). */
export default defineMethod({
  params: params(address(), quantity64OrNumber(), pageSize()),
  async handle({ chain }, [account, block, size], { signal }) {
    const index = await indexAddresses(chain, signal)
    const end = block === 0n ? Number.POSITIVE_INFINITY : Number(block)
    return formatOccurrences(index.before(addressKeyFromHex(account), end, size))
  },
})
