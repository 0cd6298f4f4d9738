import { BLOCK, BlockTraffic } from '../blockTraffic.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import type { Traffic } from '../traffic.ts'

const COUNT = 270_000

const KEEP_BLOCKS = 300
const KEPT = KEEP_BLOCKS * BLOCK

/** Whether a node that forgets old blocks stays small, however long it runs. */
export const soak: Scenario = {
  name: 'soak',
  about: `${COUNT} transfers in blocks of ${BLOCK}, each to a new account, with --keep-blocks ${KEEP_BLOCKS}: resident memory at the end, and growth of the memory in use, garbage collected, until ${KEPT} transactions are kept and from then on, when only their accounts are`,
  peers: ['ours'],
  rounds: 1,
  async measure() {
    await using blocks = await BlockTraffic.start({ keepBlocks: KEEP_BLOCKS, frozen: true })
    const { devnet } = blocks
    const next = (traffic: Traffic) => traffic.transfers(BLOCK)
    // What the first block loads and compiles is not what transactions cost.
    await blocks.seal(next(blocks.traffic))
    const before = await devnet.memory()
    await blocks.sealAll(KEPT, next)
    const full = await devnet.memory()
    await blocks.sealAll(COUNT - KEPT, next)
    const resident = devnet.residentMemory()
    const end = await devnet.memory()
    return [
      of('resident', 'MiB', resident / 1024 / 1024),
      of('in use, for each kept transaction', 'B', (full - before) / KEPT),
      of('in use, for each forgotten transaction', 'B', (end - full) / (COUNT - KEPT)),
    ]
  },
}

function of(metric: string, unit: string, value: number): Measurement {
  return { metric, unit, better: 'lower', value }
}
