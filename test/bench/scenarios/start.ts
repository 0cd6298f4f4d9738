import { NodeProcess } from '../nodeProcess.ts'
import type { Command, Peer } from '../peers.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { freePort } from '../startPeer.ts'

/** What a user waits for before anything works. */
export const start: Scenario = {
  name: 'start',
  about:
    'from the start of the process to the first answer to eth_chainId, files in the page cache',
  rounds: 7,
  async measure(peer) {
    const results: Measurement[] = []
    for (const [metric, command, group] of commandsOf(peer)) {
      const port = await freePort()
      const begin = performance.now()
      await using node = new NodeProcess(command(port), port, group)
      await node.ready()
      const value = performance.now() - begin
      results.push({ metric, unit: 'ms', better: 'lower', value })
    }
    return results
  },
}

type Way = readonly [metric: string, command: (port: number) => Command, group: boolean]

function commandsOf(peer: Peer): readonly Way[] {
  const direct: Way = ['the program itself', (port) => peer.command(port, 'running'), false]
  const { npxCommand } = peer
  return npxCommand === undefined ? [direct] : [['through npx', npxCommand, true], direct]
}
