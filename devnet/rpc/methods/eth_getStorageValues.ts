import { address, blockReference, params, storageSlot } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { padTo32 } from '../../primitives/bytes.ts'
import { InvalidParamsError, LimitError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { keyedObject, listOf, optional } from '../../primitives/reader.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import { requireKnown } from '../../state/remote/remoteLayer.ts'
import { defineMethod } from '../method.ts'

/** Maximum number of slots in one request, as in geth. */
const MOST_SLOTS = 1024

const slotsByAddress = keyedObject(
  address(),
  listOf(storageSlot(), 'a list of storage slots'),
  'an object of storage slots by address',
)

/** Storage values of many accounts; for each account, in the order of its requested slots. */
export default defineMethod({
  params: params(slotsByAddress, optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [request, block]) {
    let count = 0
    for (const slots of request.values()) count += slots.length
    if (count === 0) throw new InvalidParamsError('empty request')
    if (count > MOST_SLOTS) throw new LimitError(`too many slots (max ${MOST_SLOTS}, got ${count})`)
    const state = stateAt(context, block)
    const keys = [...request].flatMap(([account, slots]) =>
      slots.map((slot) => [addressKeyFromHex(account), slotKeyFromHex(slot)] as const),
    )
    requireKnown(state, { accounts: [], slots: keys })
    return Object.fromEntries(
      [...request].map(([account, slots]) => {
        const key = addressKeyFromHex(account)
        return [account, slots.map((slot) => toHex(padTo32(state.slot(key, slotKeyFromHex(slot)))))]
      }),
    )
  },
})
