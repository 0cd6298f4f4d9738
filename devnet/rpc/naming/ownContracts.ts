import type { KnownContract } from '../../options/contracts.ts'

const CALL = Object.entries({ to: 'address', value: 'uint256', data: 'bytes' })
const CALLS = {
  type: 'tuple[]',
  name: 'calls',
  components: CALL.map(([name, type]) => ({ name, type })),
}

const known = (name: string, entry: object = { type: 'fallback' }): KnownContract => ({
  name,
  abi: [entry],
  initCodeLength: 0,
})

/** Contracts that the node itself deploys, which have no artifact, by address in lower case. */
export const ownContracts: ReadonlyMap<string, KnownContract> = new Map([
  [
    '0xba7c4e0000000000000000000000000000005792',
    known('BatchExecutor', { type: 'function', name: 'execute', inputs: [CALLS] }),
  ],
  ['0x4e59b44847b379578588920ca78fbf26c0b4956c', known('Create2Deployer')],
  ['0x000f3df6d732807ef1319fb7b8bb8522d0beac02', known('BeaconRoots')],
  ['0x0000f90827f1c53a10cb7a02335b175320002935', known('BlockHashes')],
  ['0x00000961ef480eb55e80d19ad83579a64c007002', known('WithdrawalRequests')],
  ['0x0000bbddc7ce488642fb579f8b00f3a590007251', known('ConsolidationRequests')],
  ['0x0000bff46984e3725691fa540a8c7589300d8282', known('BuilderDeposits')],
  ['0x000064d678505ad48f8ccb093bc65613800e8282', known('BuilderExits')],
])
