import { formatOccurrences } from '../../json/formatOtterscan.ts'
import { address, params, quantity64OrNumber } from '../../json/params.ts'
import { pageSize } from '../../json/schemas/pageSize.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { indexAddresses } from '../queries/indexAddresses.ts'

/** Sealed transactions of an address after a block, the nearest ones; block 0: the oldest. */
export default defineMethod({
  params: params(address(), quantity64OrNumber(), pageSize()),
  async handle({ chain }, [account, block, size], { signal }) {
    const index = await indexAddresses(chain, signal)
    return formatOccurrences(index.from(addressKeyFromHex(account), Number(block) + 1, size))
  },
})
