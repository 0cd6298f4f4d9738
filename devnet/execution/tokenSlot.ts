import type { Chain } from '../chain/chain.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { createAccessList } from './accessList.ts'
import { type CallParameters, call } from './call.ts'
import { ExecutionHaltedError, ExecutionRevertedError } from './callErrors.ts'
import { executionTarget } from './executionTarget.ts'

export interface StorageLocation {
  readonly address: Hex
  /** 32 bytes. */
  readonly slot: Hex
}

/**
 * Finds the slot that holds what a view of a token returns, such as a balance: among those that the
 * view reads, the one that makes it return `value`, 32 bytes, if it holds that. It may be a slot of
 * another account, such as that of a proxy.
 *
 * @throws {RefusedError} if there is none
 */
export async function findTokenSlot(
  chain: Chain,
  view: { readonly token: Hex; readonly data: Hex },
  value: Hex,
  limits: Pick<CallParameters, 'gasCap' | 'timeout' | 'signal'>,
): Promise<StorageLocation> {
  const request = { to: view.token, data: view.data }
  const target = () => executionTarget(chain, chain.pending)
  const { accessList } = await createAccessList(chain, target(), request, limits)
  const slots = accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot): StorageLocation => ({ address, slot })),
  )
  for (const location of slots) {
    const { address, slot } = location
    const stateOverrides = new Map([[address, { stateDiff: new Map([[slot, value]]) }]])
    const returned = await call(chain, target(), request, { ...limits, stateOverrides }).then(
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
    `${view.token} keeps the value in no slot that a call reads: set it with anvil_setStorageAt`,
  )
}
