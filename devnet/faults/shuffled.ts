import type { Random } from '../primitives/random.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { AddressKey } from '../state/types.ts'

/**
 * The transactions in another order, if there are several senders; those of each keep their order.
 */
export function shuffled(
  executed: readonly ExecutedTransaction[],
  random: Random,
): ExecutedTransaction[] {
  const senders = executed.map(({ transaction }) => transaction.senderKey)
  const order = shuffledSenders(senders, random)
  const first = order.findIndex((sender, index) => sender !== senders[index])
  // If the shuffle changed nothing, another sender is moved to the front.
  const other = first === -1 ? order.findIndex((sender) => sender !== order[0]) : -1
  if (other > 0) order.unshift(...order.splice(other, 1))
  const queues = Map.groupBy(executed, ({ transaction }) => transaction.senderKey)
  return order.flatMap((sender) => queues.get(sender)?.shift() ?? [])
}

/** The list of senders in a random order. */
function shuffledSenders(senders: readonly AddressKey[], random: Random): AddressKey[] {
  const order = [...senders]
  for (let left = order.length; left > 1; left--) {
    const [sender] = order.splice(random.below(left), 1)
    if (sender !== undefined) order.push(sender)
  }
  return order
}
