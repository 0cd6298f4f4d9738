import type { Chain } from '../chain/chain.ts'
import type { Machine } from '../engine/machine.ts'
import type { AccessReport, CallExecution } from '../engine/types.ts'
import { ZERO_ADDRESS } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { admitCall, type CallParameters, executeCall, freeBlock } from './call.ts'
import { callTransaction } from './callTransaction.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { failureMessage, isRevert } from './failureMessage.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides, overrideBlock } from './overrides.ts'
import type { AccessListEntry, CallRequest } from './types.ts'

/** An access list for a call, and how the call fares with it. */
export interface AccessListOutcome {
  /** By address, with the slots of each in their order. */
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** Why the call fails, in geth's words; `undefined` where it does not. */
  readonly failure: string | undefined
}

/** Address → slots, in lower case. */
type Accesses = Map<Hex, Set<Hex>>

/**
 * What a call accesses beside its sender, its recipient and the precompiles, which are warm anyway; of these only what
 * slots it accesses. The call is repeated with the list that came out until nothing is added, because code can see the
 * gas that a list saves.
 *
 * @throws {CallRefusedError} where no block could hold the call
 * @throws {ExecutionAbortedError} where a limit ends it
 */
export async function createAccessList(
  chain: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  { stateOverrides, gasCap, ...limits }: Omit<CallParameters, 'blockOverrides' | 'onPrint'>,
): Promise<AccessListOutcome> {
  const { engine } = chain
  const gas = request.gas === undefined || request.gas > gasCap ? gasCap : request.gas
  const { blockHashes, block, state } = target
  const rules = engine.schedule.at(block.number, block.timestamp)
  return withMachine(engine, rules, state, blockHashes, limits, async (lease) => {
    const { machine } = lease
    const precompiles = applyStateOverrides(machine, stateOverrides)
    const run = async (accessList: readonly AccessListEntry[]): Promise<CallExecution> => {
      const { chainId } = engine
      const call = callTransaction(
        { ...request, gas, accessList },
        { gasLimit: gas, nonce: 0n, chainId },
      )
      const free = freeBlock(overrideBlock(block, undefined), call)
      machine.overlay.openCheckpoint()
      try {
        const checked = admitCall(lease, call, free, { rules, validation: false })
        return await executeCall(lease, checked, free, { precompiles, reportAccess: true })
      } finally {
        machine.overlay.revertCheckpoint()
      }
    }
    let list = toList(withoutWarm(request, machine))
    for (;;) {
      const execution = await run(list)
      const next = toList(accesses(execution.access, request, machine))
      if (isSame(list, next)) {
        return { accessList: list, gasUsed: execution.gasUsed, failure: failureOf(execution) }
      }
      list = next
    }
  })
}

/** What the request lists, but for what it need not. */
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
    // The journal makes them of an 0x and digits.
    const [key, slots] = [address as Hex, storageKeys as Hex[]]
    const isWarm = report?.created.has(key.slice(2)) || isWarmAnyway(key, request, machine)
    if (slots.length > 0 || !isWarm) accessed.set(key, new Set(slots))
  }
  return accessed
}

function isWarmAnyway(address: Hex, { from, to }: CallRequest, { vm }: Machine): boolean {
  return address === (from ?? NOBODY) || address === to || vm.evm.precompiles.has(address.slice(2))
}

/** Who calls where the request does not say. */
const NOBODY = toHex(ZERO_ADDRESS)

function toList(accesses: Accesses): AccessListEntry[] {
  return [...accesses.keys()].sort().map((address) => ({
    address,
    storageKeys: [...(accesses.get(address) ?? [])].sort(),
  }))
}

function isSame(one: readonly AccessListEntry[], other: readonly AccessListEntry[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** geth says here only that it reverted, and not why. */
function failureOf(execution: CallExecution): string | undefined {
  if (execution.success) return undefined
  return isRevert(execution) ? 'execution reverted' : failureMessage(execution)
}
