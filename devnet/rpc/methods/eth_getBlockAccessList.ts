import { pendingAccessList } from '../../chain/building/blockAccesses.ts'
import { formatAccessList } from '../../json/formatAccessList.ts'
import { blockReference, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAccessList } from '../queries/findAccessList.ts'

/**
 * The access list of a block (EIP-7928); `null` if there is no such block. With `pending`, the list
 * so far, which each tick adds to, as an extension of this node: networks answer `null`.
 */
export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  mayLack: true,
  async handle(context, [reference]) {
    const { chain, profile } = context
    // Without the profile's view, in which `pending` could mean `latest`.
    const found = findAccessList({ ...context, sight: undefined }, reference)
    if (found === undefined) return null
    if (found instanceof Uint8Array) return formatAccessList(found)
    if (profile.pendingAccessList === 'null') return null
    const list = await pendingAccessList(found, chain.store)
    return list === undefined ? null : formatAccessList(list)
  },
})
