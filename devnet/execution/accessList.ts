import type { Chain } from '../chain/chain.ts'
import type { Machine } from '../engine/machine.ts'
import type { AccessReport, CallExecution } from '../engine/types.ts'
import { ZERO_ADDRESS } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { type CallParameters, prepareCall, runCall } from './call.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { failureMessage, isRevert } from './failureMessage.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides } from './overrides.ts'
import type { AccessListEntry, CallRequest } from './types.ts'

/** An access list for a call, and the call's outcome with it. */
interface AccessListOutcome {
  /** Sorted by address, and by slot within each. */
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** Why the call fails, in geth's words; `undefined` on success. */
  readonly failure: string | undefined
}

/** Address → slots, in lower case. */
type Accesses = Map<Hex, Set<Hex>>

/**
 * The access list of a call, without its sender, recipient and precompiles unless slots of them are
 * accessed: these are warm anyway. Repeats the call with the resulting list until it stays the
 * same, because code can observe the gas that a list saves.
 *
 * @throws {CallRefusedError} if no block could hold the call
 * @throws {ExecutionAbortedError} if a limit ends it
 */
export async function createAccessList(
  { engine }: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  { stateOverrides, gasCap, ...limits }: Omit<CallParameters, 'blockOverrides' | 'onPrint'>,
): Promise<AccessListOutcome> {
  const prepare = (accessList: CallRequest['accessList']) =>
    prepareCall(engine, target, { ...request, accessList }, { gasCap })
  return withMachine({ ...prepare(request.accessList), ...limits }, async (lease) => {
    const { machine } = lease
    const precompiles = applyStateOverrides(machine, stateOverrides)
    let accessList = toList(withoutWarm(request, machine))
    for (;;) {
      const { call, block } = prepare(accessList)
      machine.overlay.openCheckpoint()
      const options = { precompiles, reportAccess: true }
      const execution = await runCall(lease, call, block, options).finally(() =>
        machine.overlay.revertCheckpoint(),
      )
      const next = toList(accesses(execution.access, request, machine))
      if (JSON.stringify(accessList) === JSON.stringify(next)) {
        return { accessList, gasUsed: execution.gasUsed, failure: failureOf(execution) }
      }
      accessList = next
    }
  })
}

/** The request's own list, without entries that are warm anyway. */
function withoutWarm(request: CallRequest, machine: Machine): Accesses {
  const listed: Accesses = new Map()
  for (const { address, storageKeys } of request.accessList ?? []) {
    if (isWarmAnyway(address, request, machine)) continue
    const slots = listed.get(address) ?? new Set()
    for (const slot of storageKeys) slots.add(slot)
    listed.set(address, slots)
  }
  return listed
}

function accesses(
  report: AccessReport | undefined,
  request: CallRequest,
  machine: Machine,
): Accesses {
  const accessed: Accesses = new Map()
  for (const { address, storageKeys } of report?.accessList ?? []) {
    // The journal writes them as 0x and digits.
    const [key, slots] = [address as Hex, storageKeys as Hex[]]
    const isWarm = report?.created.has(key.slice(2)) || isWarmAnyway(key, request, machine)
    if (slots.length > 0 || !isWarm) accessed.set(key, new Set(slots))
  }
  return accessed
}

/** The sender if the request names none. */
const DEFAULT_SENDER = toHex(ZERO_ADDRESS)

function isWarmAnyway(address: Hex, request: CallRequest, { vm }: Machine): boolean {
  const { from = DEFAULT_SENDER, to } = request
  return address === from || address === to || vm.evm.precompiles.has(address.slice(2))
}

function toList(accesses: Accesses): AccessListEntry[] {
  return [...accesses.keys()].sort().map((address) => ({
    address,
    storageKeys: [...(accesses.get(address) ?? [])].sort(),
  }))
}

/** geth gives no reason for a revert here. */
function failureOf(execution: CallExecution): string | undefined {
  if (execution.success) return undefined
  return isRevert(execution) ? 'execution reverted' : failureMessage(execution)
}
