import type { Engine } from '../engine/engine.ts'
import type { CallExecution } from '../engine/types.ts'
import { ZERO_ADDRESS } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { precompileNumbers } from '../protocol/precompiles.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import { type CallParameters, prepareCall, runCall } from './call.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { failureMessage, isRevert } from './failureMessage.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides } from './overrides.ts'
import type { AccessListEntry, CallRequest } from './types.ts'

/**
 * Creates the access list of a call. Sender, recipient and precompiles are warm anyway, so they are
 * listed only if slots of them are accessed. Repeats the call with the resulting list until it no
 * longer changes, because code can observe the gas that a list saves.
 *
 * @returns the list, sorted by address and slot; gas used with this list; and why the call failed
 * with it, in geth's words (`undefined`: it succeeded)
 * @throws {CallRefusedError} if no block could include the call
 * @throws {ExecutionAbortedError} if it is aborted or times out
 */
export async function createAccessList(
  { engine }: { readonly engine: Engine },
  target: ExecutionTarget,
  request: CallRequest,
  {
    stateOverrides,
    gasCap,
    likeHardhat,
    ...limits
  }: Omit<CallParameters, 'blockOverrides' | 'onPrint'>,
): Promise<{ accessList: AccessListEntry[]; gasUsed: bigint; failure: string | undefined }> {
  const prepare = (accessList: CallRequest['accessList']) =>
    prepareCall(engine, target, { ...request, accessList }, { gasCap, stateOverrides, likeHardhat })
  return withMachine({ ...limits, ...prepare(request.accessList) }, async (lease) => {
    const { overlay } = lease.machine
    const warm = precompileNumbers(lease.executor.rules)
    const precompiles = await applyStateOverrides(lease, stateOverrides)
    const { from = DEFAULT_SENDER, to } = request
    const isWarm = (address: Hex) =>
      address === from || address === to || warm.has(addressKeyFromHex(address))
    let accessList = merge((request.accessList ?? []).filter(({ address }) => !isWarm(address)))
    for (;;) {
      const { call, block } = prepare(accessList)
      overlay.openCheckpoint()
      const options = { precompiles, reportAccess: true, likeHardhat }
      let execution: CallExecution
      try {
        execution = await runCall(lease, call, block, options)
      } finally {
        overlay.revertCheckpoint()
      }
      const { accessList: accessed = [], created } = execution.access ?? {}
      const next = merge(
        // The journal writes addresses and slots as 0x-prefixed hexadecimal.
        (accessed as readonly AccessListEntry[]).filter(({ address, storageKeys }) => {
          const isKnown = created?.has(address.slice(2)) === true || isWarm(address)
          return storageKeys.length > 0 || !isKnown
        }),
      )
      if (JSON.stringify(accessList) === JSON.stringify(next)) {
        return { accessList, gasUsed: execution.gasUsed, failure: failureOf(execution) }
      }
      accessList = next
      // A list may grow for ever: each entry takes gas from code that reads on by what is left.
      const turn = lease.machine.scheduler.yieldIfDue()
      if (turn !== undefined) await turn
    }
  })
}

/** Sender of a request without `from`. */
const DEFAULT_SENDER = toHex(ZERO_ADDRESS)

/** One entry for each address, sorted by address and slot. */
function merge(entries: readonly AccessListEntry[]): AccessListEntry[] {
  const slots = new Map<Hex, Set<Hex>>()
  for (const { address, storageKeys } of entries) {
    slots.set(address, new Set([...(slots.get(address) ?? []), ...storageKeys]))
  }
  return [...slots.keys()].sort().map((address) => ({
    address,
    storageKeys: [...(slots.get(address) ?? [])].sort(),
  }))
}

/** Why the call failed. Omits the reason of a revert, as geth's `eth_createAccessList` does. */
function failureOf(execution: CallExecution): string | undefined {
  if (execution.success) return undefined
  return isRevert(execution) ? 'execution reverted' : failureMessage(execution)
}
