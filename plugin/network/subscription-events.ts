import type { NetworkConnection } from 'hardhat/types/network'
import type { Provider } from '../../devnet/index.ts'

/** Methods of subscriptions. They are answered in this process, as only there can events follow. */
export const SUBSCRIPTION_METHODS: ReadonlySet<string> = new Set([
  'eth_subscribe',
  'eth_unsubscribe',
])

/**
 * Makes `connection.provider` emit what its subscriptions tell, until the node stops: as `message`
 * (EIP-1193) and as `notification`, both as on Hardhat's own network.
 */
export function emitSubscriptions(
  { provider }: Pick<NetworkConnection, 'provider'>,
  node: Provider,
): void {
  node.on('message', (message) => {
    provider.emit('notification', message.data)
    provider.emit('message', message)
  })
}
