import type { Chain } from '../../chain/chain.ts'
import { createAccessList } from '../../execution/accessList.ts'
import { type CallParameters, call } from '../../execution/call.ts'
import { ExecutionHaltedError, ExecutionRevertedError } from '../../execution/callErrors.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import { bigIntToBytes, concatBytes, padTo32 } from '../../primitives/bytes.ts'
import { RefusedError } from '../../primitives/errors.ts'
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
  const { address, slot } = await findTokenSlot(chain, { to: token, data }, value, {
    gasCap: BigInt(options.callGasLimit),
    timeout: options.simulateTimeout,
    signal,
  })
  await clocks.command((writer) => writer.cheat({ kind: 'setStorage', address, slot, value }))
  return null
}

/**
 * Finds the slot that holds what a view of a token returns, such as a balance: among those that the
 * view reads, the one that makes it return `value`, 32 bytes, if it holds that. It may be a slot of
 * another account, such as that of a proxy.
 *
 * @throws {RefusedError} if there is none
 */
async function findTokenSlot(
  chain: Chain,
  view: { readonly to: Hex; readonly data: Hex },
  value: Hex,
  limits: Pick<CallParameters, 'gasCap' | 'timeout' | 'signal'>,
): Promise<{ readonly address: Hex; readonly slot: Hex }> {
  const target = () => executionTarget(chain, chain.pending)
  const { accessList } = await createAccessList(chain, target(), view, limits)
  const slots = accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot) => ({ address, slot })),
  )
  for (const location of slots) {
    const { address, slot } = location
    const stateOverrides = new Map([[address, { stateDiff: new Map([[slot, value]]) }]])
    const returned = await call(chain, target(), view, { ...limits, stateOverrides }).then(
      ({ returnData }) => returnData,
      (error: unknown) => {
        // A view that fails with this slot does not keep its result there.
        if (error instanceof ExecutionRevertedError) return undefined
        if (error instanceof ExecutionHaltedError) return undefined
        throw error
      },
    )
    if (returned === value) return location
  }
  throw new RefusedError(
    `${view.to} keeps the value in no slot that a call reads: set it with anvil_setStorageAt`,
  )
}
