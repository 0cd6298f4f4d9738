import { params } from '../../json/params.ts'
import { flag } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/**
 * On: each transaction is pre-confirmed and sealed at once. Off: ticks run, and nothing is sealed
 * until `evm_setIntervalMining` or `preconf_resume`; on a node that started in instant mode, ticks
 * stop too, and what is sent waits for a block.
 */
export default defineCommand({
  params: params(flag()),
  run: ({ clocks, options }, [enabled]) =>
    clocks.setAutomine(enabled, { keepsWaiting: !options.anvil }),
})
