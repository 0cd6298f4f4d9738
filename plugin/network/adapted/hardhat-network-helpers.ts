import { withPreconfirmedAsLatest } from '../preconfirmed-as-latest.ts'
import { wrapMethod } from '../wrap-method.ts'
import { type Adapted, expectPart } from './adapted-plugin.ts'

const TRIED = { name: 'hardhat-network-helpers', oldest: '3.0.9', newest: '3.0.11' }

const TIME_METHODS = ['latest', 'increase']

/**
 * Makes `getStorageAt` read `pending` if it is given no block. Makes `time.latest()` answer the
 * time of the pending block while that holds transactions, and `time.increase()` count from there:
 * a test that has just sent a transaction means its block.
 *
 * @param added - `connection.networkHelpers`
 */
export function adaptNetworkHelpers(added: unknown, on: Adapted): void {
  const name = 'connection.networkHelpers'
  const wanted = { value: added, name, methods: ['getStorageAt'] }
  const helpers = expectPart(TRIED, wanted, on)
  if (on.readsPending) {
    wrapMethod(helpers, 'getStorageAt', (read, [address, slot, block]) =>
      read(address, slot, block ?? 'pending'),
    )
  }
  if (!on.hasTwoClocks) return
  const value: unknown = Reflect.get(helpers, 'time')
  const part = { value, name: `${name}.time`, methods: TIME_METHODS }
  const time = expectPart(TRIED, part, on)
  for (const method of TIME_METHODS) {
    wrapMethod(time, method, (read, args) =>
      withPreconfirmedAsLatest(on.connection, async () => await read(...args)),
    )
  }
}
