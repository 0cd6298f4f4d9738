/** Browsers, packages and whole projects: `npm run test:full` runs them, `npm test` does not. */
export const fullTests: readonly string[] = [
  'test/full/**/*.test.ts',
  // Whole projects, and test runners in processes of their own.
  'test/examples/**/*.test.ts',
  'test/plugin/{network,vitest}/**/*.e2e.test.ts',
  // Other people's clients and nodes.
  'test/integration/{edr,ethers,hardhat,stackTraces,viem}/**/*.test.ts',
  'test/plugin/{networkNode,stateOnDisk}.e2e.test.ts',
]
