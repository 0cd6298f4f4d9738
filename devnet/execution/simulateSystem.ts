import type { RawLog } from '../engine/types.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import {
  type BlockRequest,
  deposits,
  isQueueInUse,
  type RequestContract,
  requestContracts,
} from '../protocol/requests.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  hasCode,
  openingWrites,
  type Predeploy,
} from '../protocol/systemContracts.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import { CallRefusedError } from './callErrors.ts'
import { failureMessage } from './failureMessage.ts'
import type { MachineLease } from './machineLease.ts'
import type { SimulatedEnvironment } from './simulateTypes.ts'

/** A block cannot end without what a system contract hands over (EIP-7002, EIP-7251); code -32000, as in geth. */
export class SystemContractError extends CallRefusedError {
  override name = 'SystemContractError'
  constructor({ holds }: RequestContract, problem: string) {
    super(`failed to process ${holds} queue: ${problem}`, ErrorCode.server)
  }
}

/** Codes of the system contracts as the EIPs have them: what these do is known without running them. */
const STANDARD_CODES = new Map<AddressKey, Uint8Array>(
  [BEACON_ROOTS, BLOCK_HASHES, ...requestContracts.map(({ predeploy }) => predeploy)].map(
    ({ address, code }: Predeploy) => [addressKeyFromHex(address), fromHex(code)],
  ),
)

const BEACON_ROOTS_KEY = addressKeyFromHex(BEACON_ROOTS.address)

/**
 * Makes the system calls at the start of a block (EIP-4788, EIP-2935). Code that was laid over a contract runs; one
 * without code is not called, and a call that fails changes nothing.
 */
export async function openSystemContracts(
  { executor, machine }: MachineLease,
  environment: SimulatedEnvironment,
  parentHash: Uint8Array,
): Promise<void> {
  const { overlay } = machine
  const writes = openingWrites({ ...environment, parentHash }, overlay, environment.rules)
  for (const [key, { slots }] of writes?.storage ?? []) {
    if (isStandard(key, overlay)) {
      for (const [slot, value] of slots) overlay.setSlot(key, slot, value)
      continue
    }
    const [{ address }, data] =
      key === BEACON_ROOTS_KEY
        ? [BEACON_ROOTS, environment.parentBeaconBlockRoot]
        : [BLOCK_HASHES, parentHash]
    await executor.systemCall(machine, fromHex(address), environment, data)
  }
}

/**
 * What a block asks of the consensus layer at its end (EIP-6110, EIP-7002, EIP-7251).
 *
 * @param base - the state below the simulation: a chain that lives without these contracts is simulated without them
 * @throws {SystemContractError} where the request took the code of a contract away, or its call fails
 */
export async function collectRequests(
  { executor, machine }: MachineLease,
  environment: SimulatedEnvironment,
  logs: Iterable<RawLog>,
  base: StateReader,
): Promise<BlockRequest[]> {
  const { overlay } = machine
  const requests = [deposits(logs, environment.rules)]
  for (const contract of requestContracts) {
    const { type, address, key } = contract
    if (!hasCode(key, overlay)) {
      if (!hasCode(key, base)) continue
      throw new SystemContractError(
        contract,
        `empty system contract: no code at ${toHex(address)}; leave its code alone in the state overrides`,
      )
    }
    if (isStandard(key, overlay) && !isQueueInUse(key, overlay)) continue
    const { returnData, failure } = await executor.systemCall(machine, address, environment)
    if (failure !== undefined) {
      const reason = failureMessage({ failure, returnData, failureDetails: undefined })
      throw new SystemContractError(contract, `system call failed to execute: ${reason}`)
    }
    requests.push({ type, data: returnData })
  }
  return requests
}

function isStandard(key: AddressKey, state: StateReader): boolean {
  const account = state.account(key)
  const standard = STANDARD_CODES.get(key)
  if (account === null || standard === undefined) return false
  return Buffer.compare(state.code(account.codeHash), standard) === 0
}
