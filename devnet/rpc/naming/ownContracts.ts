const fallback = (name: string) => ({ name, function: 'fallback()' })

/**
 * The contracts that the node itself lays in, which no artifact has, by their addresses in lower
 * case; each with the one function that it is called by.
 */
export const ownContracts: ReadonlyMap<string, ReturnType<typeof fallback>> = new Map([
  [
    '0xba7c4e0000000000000000000000000000005792',
    { name: 'BatchExecutor', function: 'execute((address,uint256,bytes)[])' },
  ],
  ['0x4e59b44847b379578588920ca78fbf26c0b4956c', fallback('Create2Deployer')],
  ['0x000f3df6d732807ef1319fb7b8bb8522d0beac02', fallback('BeaconRoots')],
  ['0x0000f90827f1c53a10cb7a02335b175320002935', fallback('BlockHashes')],
  ['0x00000961ef480eb55e80d19ad83579a64c007002', fallback('WithdrawalRequests')],
  ['0x0000bbddc7ce488642fb579f8b00f3a590007251', fallback('ConsolidationRequests')],
  ['0x0000bff46984e3725691fa540a8c7589300d8282', fallback('BuilderDeposits')],
  ['0x000064d678505ad48f8ccb093bc65613800e8282', fallback('BuilderExits')],
])
