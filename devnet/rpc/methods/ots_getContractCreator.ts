import { address, params } from '../../json/params.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressHex, addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { indexAddresses } from '../queries/indexAddresses.ts'

/**
 * The transaction that created a contract, and the account that did so in it, such as a factory.
 * `null` if the account has no code in the newest block, or no transaction gave it any.
 */
export default defineMethod({
  params: params(address()),
  async handle({ chain }, [account], { signal }) {
    const index = await indexAddresses(chain, signal)
    const key = addressKeyFromHex(account)
    const record = chain.store.view(chain.head.version).account(key)
    if (record === null || record.codeHash === EMPTY_CODE_HASH) return null
    const creation = index.creation(key)
    if (creation === undefined) return null
    return { hash: creation.hash, creator: addressHex(creation.creator) }
  },
})
