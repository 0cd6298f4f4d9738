import type { NodeProcess } from '../nodeProcess.ts'
import type { Peer } from '../peers.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { type Signed, Traffic } from '../traffic.ts'
import { batches, sendUntilVisible } from '../visibility.ts'

const COUNT = 1_000
const BATCH = 50
const PASSES = 5
/** Passes between the first one and those that are measured: later ones run in code that is compiled. */
const WARM_UP = 10

/** `preconf_seal` only makes roots and a hash of what ticks have executed; `evm_mine` also executes what waits. */
const methods = ['preconf_seal', 'evm_mine'] as const
type Method = (typeof methods)[number]

const kinds = ['transfers', 'ERC-20 transfers'] as const
type Kind = (typeof kinds)[number]

/** The first seal of a process counts by itself: a test suite sees no other. */
export const sealing: Scenario = {
  name: 'sealing',
  about:
    'sealing 1,000 transactions: by preconf_seal those that ticks have executed, by evm_mine those ' +
    'that wait; the other nodes always execute them',
  async measure(peer) {
    const results: Measurement[] = []
    for (const kind of kinds) {
      if (peer.name === 'ours') {
        for (const method of methods) results.push(...(await measureSeals(peer, kind, method)))
      } else {
        const both = await measureSeals(peer, kind, 'evm_mine')
        for (const method of methods) {
          for (const { metric, ...rest } of both) {
            results.push({ ...rest, metric: metric.replace('evm_mine', method) })
          }
        }
      }
    }
    return results
  },
}

async function measureSeals(peer: Peer, kind: Kind, method: Method): Promise<Measurement[]> {
  const waits = peer.name === 'ours' && method === 'evm_mine'
  await using node = await startPeer(peer, {
    mode: 'frozen',
    args: waits ? ['--frozen-ticks'] : [],
  })
  const traffic = new Traffic()
  const send = async (transactions: readonly Signed[]) => {
    // With ticks frozen, nothing becomes visible before it is sealed; each answer says "accepted".
    const nonces = waits ? new Map() : traffic.nonces
    await sendUntilVisible(node.connect(8), batches(transactions, BATCH), nonces)
  }
  if (kind === 'ERC-20 transfers') {
    await send(traffic.tokenSetup())
    await node.call(method)
  }
  const results: Measurement[] = []
  for (let count = 0; count <= WARM_UP + PASSES; count++) {
    const transactions =
      kind === 'transfers' ? traffic.transfers(COUNT) : traffic.tokenTransfers(COUNT)
    await send(transactions)
    const value = await timed(node, method)
    const sealed = Number(await node.call('eth_getBlockTransactionCountByNumber', 'latest'))
    if (sealed !== COUNT) throw new Error(`${sealed} of ${COUNT} ${kind} were sealed`)
    if (count > 0 && count <= WARM_UP) continue
    const metric = `${kind}, ${method}${count === 0 ? ', first' : ''}`
    results.push({ metric, unit: 'ms', better: 'lower', value })
  }
  return results
}

async function timed(node: NodeProcess, method: string): Promise<number> {
  const begin = performance.now()
  await node.call(method)
  return performance.now() - begin
}
