import { NAME_FIRST, NAME_SECOND, type NamedAccess } from '../engine/accessWatch.ts'
import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import { authority } from '../engine/fast/delegations.ts'
import type { CallExecution } from '../engine/types.ts'
import type { AccessListEntry, CallRequest } from '../json/schemas/callRequest.ts'
import { bigIntTo32Bytes } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { getOrCreate } from '../primitives/memo.ts'
import { Op } from '../protocol/opcodes.ts'
import { precompileNumbers } from '../protocol/precompiles.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import { addressHex, addressKey, addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import { type CallParameters, prepareCall, runCall } from './call.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { failureMessage } from './failureMessage.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides } from './overrides.ts'

/**
 * Creates the access list of a call: what it is asked with, and what opcodes name, as geth does.
 * Sender, recipient, precompiles and authorities are warm anyway, so they are listed only with
 * slots. Repeats the call with the resulting list until it no longer changes, because code can
 * observe the gas that a list saves.
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
    const precompiles = await applyStateOverrides(lease, stateOverrides)
    const warm = warmAccounts(lease.executor, prepare(undefined).call)
    let accessList = new Accesses(request.accessList).list(warm)
    for (;;) {
      const { call, block } = prepare(accessList)
      const accesses = new Accesses(accessList)
      overlay.openCheckpoint()
      const onAccess = (access: NamedAccess) => accesses.add(access)
      const options = { precompiles, onAccess, likeHardhat }
      let execution: CallExecution
      try {
        execution = await runCall(lease, call, block, options)
      } finally {
        overlay.revertCheckpoint()
      }
      const { createdAddress } = execution
      if (createdAddress !== undefined) warm.add(addressKey(createdAddress))
      const next = accesses.list(warm)
      if (JSON.stringify(accessList) === JSON.stringify(next)) {
        return { accessList, gasUsed: execution.gasUsed, failure: failureText(execution) }
      }
      accessList = next
      // A list may grow for ever: each entry takes gas from code that reads on by what is left.
      const turn = lease.machine.scheduler.yieldIfDue()
      if (turn !== undefined) await turn
    }
  })
}

/** Accounts that are warm without a list: sender, recipient, precompiles and authorities. */
function warmAccounts({ crypto, rules }: Executor, call: TransactionFields) {
  const { from, to, authorizationList = [] } = call
  const signers = authorizationList.map((item) => authority(item, BigInt(rules.chainId), crypto))
  const recipient = to === undefined ? undefined : addressKey(to)
  return new Set([addressKey(from), recipient, ...precompileNumbers(rules).keys(), ...signers])
}

class Accesses {
  readonly #slots = new Map<Hex, Set<Hex>>()

  constructor(accessList: readonly AccessListEntry[] = []) {
    for (const { address, storageKeys } of accessList) {
      const slots = this.#slotsOf(address)
      for (const key of storageKeys) slots.add(key)
    }
  }

  add({ opcode, self, operand }: NamedAccess): void {
    if (opcode === Op.sload || opcode === Op.sstore) {
      this.#slotsOf(addressHex(self)).add(toHex(bigIntTo32Bytes(operand(0))))
    } else if (NAME_FIRST.has(opcode)) this.#slotsOf(addressOf(operand(0)))
    else if (NAME_SECOND.has(opcode)) this.#slotsOf(addressOf(operand(1)))
  }

  #slotsOf(address: Hex): Set<Hex> {
    return getOrCreate(this.#slots, address, () => new Set<Hex>())
  }

  /**
   * One entry for each address, sorted by address and slot.
   *
   * @param warm - accounts that are listed only with slots
   */
  list(warm: ReadonlySet<AddressKey | undefined>): AccessListEntry[] {
    return [...this.#slots.keys()]
      .sort()
      .map((address) => ({ address, storageKeys: [...this.#slotsOf(address)].sort() }))
      .filter(
        ({ address, storageKeys }) =>
          storageKeys.length > 0 || !warm.has(addressKeyFromHex(address)),
      )
  }
}

/** The address on the stack; higher bytes are ignored. */
function addressOf(item: bigint): Hex {
  return toHex(bigIntTo32Bytes(item).subarray(12))
}

/**
 * Reason why the call failed. Omits the reason of a revert, as geth's `eth_createAccessList` does.
 */
function failureText(execution: CallExecution): string | undefined {
  if (execution.success) return undefined
  return execution.failure === 'revert' ? 'execution reverted' : failureMessage(execution)
}
