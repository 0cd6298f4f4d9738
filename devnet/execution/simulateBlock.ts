import { blockRewards, type Credit, withdrawalCredits } from '../chain/credits.ts'
import type { BlockHeader } from '../chain/header.ts'
import { requestsHash } from '../chain/requests.ts'
import type { Overlay } from '../state/overlay.ts'
import { applyStateOverrides } from './overrides.ts'
import { closeSimulatedBlock, openSimulatedBlock } from './simulateHeader.ts'
import { collectRequests, openSystemContracts } from './simulateSystem.ts'
import { type OpenBlock, type Simulation, simulateCall } from './simulateTransaction.ts'
import type { PlannedBlock, SimulatedBlock } from './simulateTypes.ts'

/** The block that a simulated one follows on. */
export interface SimulatedParent {
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
}

/**
 * Simulates one block on the machine's overlay: overrides, system calls, calls, requests, withdrawals or reward.
 *
 * @throws {CallRefusedError} where it cannot hold a call, or an override is refused
 */
export async function simulateBlock(
  simulation: Simulation,
  planned: PlannedBlock,
  parent: SimulatedParent,
): Promise<SimulatedBlock> {
  const { engine, session, validation } = simulation
  const { machine } = session
  const { rules } = session.executor
  const environment = openSimulatedBlock(planned, parent.header, rules, validation)
  const block: OpenBlock = {
    environment,
    precompiles: applyStateOverrides(machine, planned.stateOverrides),
    calls: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
  }
  await openSystemContracts(session, environment, parent.hashBytes)
  for (const request of planned.calls ?? []) {
    const pause = machine.pace.breathe()
    if (pause !== undefined) await pause
    await simulateCall(simulation, block, request)
  }
  const logs = block.calls.flatMap(({ executed }) => executed.logs)
  const requests = rules.requests
    ? await collectRequests(session, environment, logs, simulation.base)
    : []
  const withdrawals = rules.withdrawals ? (planned.blockOverrides?.withdrawals ?? []) : []
  credit(machine.overlay, [...withdrawalCredits(withdrawals), ...blockRewards(environment, [])])
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

function credit(overlay: Overlay, credits: readonly Credit[]): void {
  for (const [key, wei] of credits) {
    overlay.setBalance(key, (overlay.account(key)?.balance ?? 0n) + wei)
  }
}
