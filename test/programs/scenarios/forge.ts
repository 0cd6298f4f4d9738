// Deploys with `forge create`, then at once runs a script that sends.
import { foundry, foundryFolder, key, url } from './support.ts'

const chain = ['--rpc-url', url, '--private-key', key, '--broadcast']
foundry('forge', ['create', ...chain, 'src/Counter.sol:Counter'])
foundry('forge', ['script', ...chain, `${foundryFolder}script/Increase.s.sol:Increase`])
