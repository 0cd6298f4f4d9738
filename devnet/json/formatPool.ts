import type { Chain } from '../chain/chain.ts'
import type { Crypto } from '../engine/crypto.ts'
import type { Hex } from '../primitives/hex.ts'
import type { Paced } from '../primitives/paced.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { BlockContext } from './resolveBlock.ts'

/**
 * All transactions that are not sealed yet, grouped as in geth. `pending`: the pre-confirmed ones,
 * then those that the next tick can take. `queued`: those behind a nonce gap.
 */
export function listPool(chain: Chain) {
  const pending = chain.unsealed()
  const queued = pending.splice(chain.pending.executed.length + chain.mempool.runnableCount)
  return { pending, queued }
}

/** Sender, in the letter case of `shown` → nonce → what `describe` makes when it is written. */
export function* bySender(
  transactions: readonly ChainTransaction[],
  shown: (address: Hex) => Hex,
  describe: (transaction: ChainTransaction) => unknown,
): Paced<Record<Hex, Record<string, unknown>>> {
  const senders: Record<Hex, Record<string, unknown>> = {}
  const keys = new Map<Hex, Hex>()
  for (const transaction of transactions) {
    const { sender, nonce } = transaction
    const key = keys.get(sender) ?? shown(sender)
    keys.set(sender, key)
    senders[key] ??= {}
    senders[key][String(nonce)] = { toJSON: () => describe(transaction) }
    yield
  }
  return senders
}

/** Writes an address for the pool's methods: with its checksum, as geth; on anvil in lower case. */
export function poolAddress({
  chain,
  options,
}: Pick<BlockContext, 'chain' | 'options'>): (address: Hex) => Hex {
  const { keccak256 } = chain.engine.crypto
  return options.anvil ? (address) => address : (address) => checksumAddress(address, keccak256)
}

/** An address with its checksum as letter case (EIP-55). */
export function checksumAddress(address: Hex, keccak256: Crypto['keccak256']): Hex {
  const digits = address.slice(2)
  const hash = keccak256(Buffer.from(digits, 'latin1'))
  let text = ''
  for (const [index, digit] of [...digits].entries()) {
    const byte = hash[index >> 1] ?? 0
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 15
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return `0x${text}`
}
