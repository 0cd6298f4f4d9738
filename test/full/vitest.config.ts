import { defineConfig } from 'vitest/config'

/** What takes too long for every run: other people's clients and nodes at length, browsers, the package as a whole. */
export default defineConfig({
  test: {
    include: ['test/full/**/*.test.ts', 'test/integration/{edr,ethers,hardhat,viem}/**/*.test.ts'],
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
