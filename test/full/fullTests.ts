/**
 * Flags of the tests' workers: each test makes a node and forgets it, and with more room for what is
 * young less of that is copied.
 */
export const youngSpace: readonly string[] = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
]

/** Mock modules of Node.js, and so need workers that have loaded nothing that uses these. */
export const mockingTests: readonly string[] = [
  'test/devnet/engine/precompiles/withoutWebAssembly.test.ts',
  'test/devnet/node/nodeFollower.test.ts',
  'test/devnet/server/flashblockCompression.test.ts',
]

/**
 * Browsers, packages, command lines and whole projects: `npm run test:full` runs them, `npm test`
 * does not. It has other tests of what these are about, or a share of the random ones.
 */
export const fullTests: readonly string[] = [
  'test/full/**/*.test.ts',
  // Whole projects, and command lines and test runners in processes of their own.
  'test/examples/**/*.test.ts',
  'test/plugin/**/*.e2e.test.ts',
  // Each waits for some blocks of a real clock.
  'test/plugin/conformance/networks.test.ts',
  'test/devnet/node/processHold.test.ts',
  'test/integration/{determinism,faultDeterminism,heavyThreadsOfBuild,task}.test.ts',
  'test/structure/exports.test.ts',
  // Other people's clients, plugins and nodes.
  'test/integration/{edr,ethers,hardhat,stackTraces,viem}/**/*.test.ts',
  'test/devnet/rpc/*.clients.test.ts',
  'test/integration/{forkBorder,forkDifferential,prefetch,viemTestActions}.test.ts',
  'test/integration/fork/replay.test.ts',
  'test/plugin/network/{ethers,foreignClients,hardhatPlugins,ignition,viem}.test.ts',
  // Servers that hang, clients that hang up, and threads that are busy.
  'test/devnet/engine/workers/heavyPrecompiles.test.ts',
  'test/devnet/rpc/heavy/{heavyCalls,heavyThreads}.test.ts',
  'test/devnet/rpc/methods/eth_simulateV1.hangUp.test.ts',
  'test/devnet/wallet/probe.test.ts',
  'test/integration/fork/{faultsWhileRunning,forkSecrets}.test.ts',
  ...mockingTests,
  // A saved chain of all hardforks: the files of smaller ones are in `test/devnet/persistence`.
  'test/conformance/savedState.test.ts',
]

/** The longest of the others: `npm run test:full` and `test:long` run them, `npm test` does not. */
export const longestTests: readonly string[] = [
  // All checks of an endpoint, several times.
  'test/plugin/conformance/conformance.test.ts',
  'test/plugin/tasks/conformance-task.test.ts',
  // Hundreds of runs of an app each.
  'test/devnet/explore/{clients,search,waiters}.test.ts',
  // Many kills while a file is saved.
  'test/devnet/persistence/{crashes,savedFile}.test.ts',
  // Random chains and clocks.
  'test/integration/finality.test.ts',
  'test/integration/branches/branches.property.test.ts',
  'test/devnet/chain/accessLists.property.test.ts',
]
