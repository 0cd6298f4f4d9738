import type { BlockStateCall } from '../json/schemas/simulationPayload.ts'
import { ZERO_ADDRESS } from '../primitives/bytes.ts'
import type { Hex } from '../primitives/hex.ts'
import { addressKey, addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import type { RemoteKeys, RemoteSlot } from '../state/remote/remoteSource.ts'
import type { AddressKey } from '../state/types.ts'

/**
 * Reads of calls before their code runs: a forked chain fetches it together.
 *
 * @param coinbase - 20 bytes
 */
export function callReads(
  blocks: readonly Pick<BlockStateCall, 'calls' | 'stateOverrides'>[],
  coinbase: Uint8Array,
): RemoteKeys {
  const accounts = new Set([addressKey(coinbase)])
  const slots: RemoteSlot[] = []
  const read = (address: Hex): AddressKey => {
    const key = addressKeyFromHex(address)
    accounts.add(key)
    return key
  }
  for (const { calls = [], stateOverrides } of blocks) {
    for (const address of stateOverrides?.keys() ?? []) read(address)
    for (const { from, to, accessList = [] } of calls) {
      accounts.add(from === undefined ? DEFAULT_SENDER : addressKeyFromHex(from))
      if (to !== undefined) read(to)
      for (const { address, storageKeys } of accessList) {
        const key = read(address)
        for (const slot of storageKeys) slots.push([key, slotKeyFromHex(slot)])
      }
    }
  }
  return { accounts: [...accounts], slots }
}

/** Sender of a request without `from`. */
export const DEFAULT_SENDER: AddressKey = addressKey(ZERO_ADDRESS)
