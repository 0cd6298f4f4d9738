// Deploys, then at once runs a test on a fork of the chain, which uses what was deployed.
import { foundry, key, url } from './support.ts'

const printed = foundry('forge', [
  'create',
  ...['--rpc-url', url, '--private-key', key, '--broadcast'],
  'src/Counter.sol:Counter',
])
const address = /Deployed to: (0x[0-9a-fA-F]{40})/.exec(printed)?.[1]
if (address === undefined) throw new Error('forge create names no address.')
foundry('forge', ['test', '--fork-url', url], { COUNTER: address })
