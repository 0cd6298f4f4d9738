/** What takes too long for `npm test`: `npm run test:full` runs it. */
export const longTests: readonly string[] = [
  // Browsers, and the package as a whole.
  'test/full/**/*.test.ts',
  // Whole projects, and test runners in processes of their own.
  'test/examples/**/*.test.ts',
  'test/plugin/{network,vitest}/**/*.e2e.test.ts',
  // Other people's clients and nodes at length.
  'test/integration/{edr,ethers,hardhat,viem}/**/*.test.ts',
  'test/**/*.fuzz.test.ts',
  // Every parameter of every method malformed, and the recordings once more from a saved state.
  'test/integration/badInput.test.ts',
  'test/conformance/savedState.test.ts',
  'test/plugin/stateOnDisk.e2e.test.ts',
]
