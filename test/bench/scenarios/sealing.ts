import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { Traffic } from '../traffic.ts'
import { batches, sendUntilVisible } from '../visibility.ts'

const COUNT = 1_000
const BATCH = 50
const PASSES = 5

/** A seal of ours only makes roots and a hash; that of the others also executes. */
export const sealing: Scenario = {
  name: 'sealing',
  about: 'sealing 1,000 transfers that are visible in "pending": preconf_seal, or evm_mine',
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'frozen' })
    const traffic = new Traffic()
    const results: Measurement[] = []
    // The first pass is for warming up.
    for (let count = 0; count <= PASSES; count++) {
      const requests = batches(traffic.transfers(COUNT), BATCH)
      await sendUntilVisible(node.connect(8), requests, traffic.nonces)
      const begin = performance.now()
      await node.call(peer.seal.method)
      const value = performance.now() - begin
      const sealed = Number(await node.call('eth_getBlockTransactionCountByNumber', 'latest'))
      if (sealed !== COUNT) throw new Error(`${sealed} of ${COUNT} transfers were sealed`)
      if (count > 0) results.push({ metric: 'seal', unit: 'ms', better: 'lower', value })
    }
    return results
  },
}
