import { NodeProcess } from '../nodeProcess.ts'
import type { Command, Peer } from '../peers.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { freePort } from '../startPeer.ts'

/** What a user waits for before anything works, and after Ctrl-C. */
export const start: Scenario = {
  name: 'start',
  about:
    'from the start of the process to the first answer to eth_chainId, files in the page cache; from SIGTERM to the end of the process',
  rounds: 7,
  async measure(peer) {
    const results: Measurement[] = []
    for (const [metric, command, group] of commandsOf(peer)) {
      const port = await freePort()
      const begin = performance.now()
      let ready: number
      {
        await using node = new NodeProcess(command(port), port, group)
        await node.ready()
        ready = performance.now()
      }
      results.push({ metric, unit: 'ms', better: 'lower', value: ready - begin })
      // A group is ended by force.
      if (group) continue
      results.push({ metric: 'end', unit: 'ms', better: 'lower', value: performance.now() - ready })
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
