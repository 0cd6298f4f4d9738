// Everything that other packages use of the contracts. `npm run build` writes what it reads.
import type { Counter$Type } from './artifacts/contracts/Counter.sol/artifacts.d.ts'
import counter from './artifacts/contracts/Counter.sol/Counter.json' with { type: 'json' }

/** With the names and types of each function and event: a JSON file alone has only strings. */
export const counterAbi = counter.abi as unknown as Counter$Type['abi']
