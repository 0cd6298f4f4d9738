import type { SealedBlock } from '../chain/block.ts'
import type { BlockHeader } from '../chain/header.ts'
import {
  type BlockRequest,
  callRequestContracts,
  deposits,
  needsRequestCalls,
  requestsHash,
} from '../chain/requests.ts'
import { openingWrites } from '../chain/systemContracts.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { Overlay } from '../state/overlay.ts'
import { applyStateOverrides } from './overrides.ts'
import { closeSimulatedBlock, openSimulatedBlock } from './simulateHeader.ts'
import { type OpenBlock, type Simulation, simulateCall } from './simulateTransaction.ts'
import type { PlannedBlock, SimulatedBlock } from './simulateTypes.ts'
import type { Withdrawal } from './types.ts'

/** wei in a gwei, which withdrawals count in (EIP-4895). */
const GWEI = 10n ** 9n

/** The block that a simulated one follows on. */
export interface SimulatedParent {
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
}

/**
 * Simulates one block on the machine's overlay: overrides, system calls, calls, requests, withdrawals.
 *
 * @param base - the real block below the simulation
 * @throws {CallRefusedError} where it cannot hold a call, or an override is refused
 */
export async function simulateBlock(
  simulation: Simulation,
  planned: PlannedBlock,
  parent: SimulatedParent,
  base: SealedBlock,
): Promise<SimulatedBlock> {
  const { engine, session, validation } = simulation
  const { executor, machine } = session
  const { rules } = engine
  const environment = openSimulatedBlock(planned, parent.header, rules, validation)
  const block: OpenBlock = {
    environment,
    precompiles: applyStateOverrides(machine, planned.stateOverrides),
    calls: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
  }
  writeOpening(machine.overlay, simulation, environment, parent.hashBytes)
  for (const request of planned.calls ?? []) {
    const pause = machine.pace.breathe()
    if (pause !== undefined) await pause
    await simulateCall(simulation, block, request)
  }
  const requests: BlockRequest[] = rules.requests
    ? [deposits(block.calls.flatMap(({ executed }) => executed.logs))]
    : []
  if (needsRequestCalls(machine.overlay, rules)) {
    const sealable = { ...environment, parent: base }
    requests.push(...(await callRequestContracts(executor, machine, sealable)))
  }
  const withdrawals = planned.blockOverrides?.withdrawals ?? []
  if (rules.withdrawals) creditWithdrawals(machine.overlay, withdrawals)
  return closeSimulatedBlock(
    environment,
    parent.hashBytes,
    {
      calls: block.calls,
      gasUsed: block.gasUsed,
      blobGasUsed: block.blobGasUsed,
      requestsHash: requestsHash(requests),
      withdrawals,
    },
    engine,
  )
}

/** The writes of the system calls at the start of a block (EIP-4788, EIP-2935). */
function writeOpening(
  overlay: Overlay,
  { engine }: Simulation,
  environment: OpenBlock['environment'],
  parentHash: Uint8Array,
): void {
  const writes = openingWrites({ ...environment, parentHash }, overlay, engine.rules)
  for (const [key, { slots }] of writes?.storage ?? []) {
    for (const [slot, value] of slots) overlay.setSlot(key, slot, value)
  }
}

function creditWithdrawals(overlay: Overlay, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amount } of withdrawals) {
    if (amount === 0n) continue
    const key = addressKeyFromHex(address)
    overlay.setBalance(key, (overlay.account(key)?.balance ?? 0n) + amount * GWEI)
  }
}
