import type { Scenario } from './scenario.ts'
import { addressIndex } from './scenarios/addressIndex.ts'
import { chainId } from './scenarios/chainId.ts'
import { clientWaits } from './scenarios/clientWaits.ts'
import { coldCalls } from './scenarios/coldCalls.ts'
import { coldRates } from './scenarios/coldRates.ts'
import { connectionRequests } from './scenarios/connectionRequests.ts'
import { dashboard } from './scenarios/dashboard.ts'
import { emptyBlocks } from './scenarios/emptyBlocks.ts'
import { erc20Visible } from './scenarios/erc20Visible.ts'
import { explored } from './scenarios/explored.ts'
import { failures } from './scenarios/failures.ts'
import { fork } from './scenarios/fork.ts'
import { forkTicks } from './scenarios/forkTicks.ts'
import { heavyCalls } from './scenarios/heavyCalls.ts'
import { keptTransactions } from './scenarios/keptTransactions.ts'
import { longestTurns } from './scenarios/longestTurns.ts'
import { pendingReads } from './scenarios/pendingReads.ts'
import { pluginStart } from './scenarios/pluginStart.ts'
import { precompiles } from './scenarios/precompiles.ts'
import { projectSuite } from './scenarios/projectSuite.ts'
import { sealing } from './scenarios/sealing.ts'
import { sendsWithoutGas } from './scenarios/sendsWithoutGas.ts'
import { simulate } from './scenarios/simulate.ts'
import { simulateTicks } from './scenarios/simulateTicks.ts'
import { soak } from './scenarios/soak.ts'
import { start } from './scenarios/start.ts'
import { streamClients } from './scenarios/streamClients.ts'
import { suites } from './scenarios/suites.ts'
import { tickLateness } from './scenarios/tickLateness.ts'
import { transfersVisible } from './scenarios/transfersVisible.ts'

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [
  pendingReads,
  transfersVisible,
  erc20Visible,
  sendsWithoutGas,
  sealing,
  emptyBlocks,
  chainId,
  start,
  pluginStart,
  projectSuite,
  connectionRequests,
  failures,
  suites,
  simulate,
  coldCalls,
  coldRates,
  heavyCalls,
  precompiles,
  tickLateness,
  streamClients,
  simulateTicks,
  longestTurns,
  clientWaits,
  explored,
  keptTransactions,
  soak,
  addressIndex,
  dashboard,
  fork,
  forkTicks,
]
