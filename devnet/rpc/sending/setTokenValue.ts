import { findTokenSlot } from '../../execution/tokenSlot.ts'
import { bigIntToBytes, concatBytes, padTo32 } from '../../primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/**
 * Sets what a view of a token returns, by writing the slot that it reads.
 *
 * @param view.selector - 4 bytes
 * @throws {RefusedError} if the token has no such slot
 */
export async function setTokenValue(
  { chain, clocks, options }: RpcContext,
  view: { readonly token: Hex; readonly selector: Hex; readonly addresses: readonly Hex[] },
  amount: bigint,
  { signal }: Caller,
): Promise<null> {
  const { token, selector, addresses } = view
  const words = addresses.map((address) => padTo32(fromHex(address)))
  const data = toHex(concatBytes(fromHex(selector), ...words))
  const value = toHex(padTo32(bigIntToBytes(amount)))
  const { address, slot } = await findTokenSlot(chain, { token, data }, value, {
    gasCap: BigInt(options.callGasLimit),
    timeout: options.simulateTimeout,
    signal,
  })
  await clocks.command((writer) => writer.cheat({ kind: 'setStorage', address, slot, value }))
  return null
}
