import { defineConfig } from 'vitest/config'

// `vitest run --mode instant` runs the tests on the network `instant`.
export default defineConfig(({ mode }) => ({
  // The tests are written for node:test, whose names vitest has too.
  resolve: { alias: { 'node:test': 'vitest' } },
  test: {
    include: ['test/viem/*.ts'],
    env: { HARDHAT_NETWORK: mode },
    testTimeout: 60_000,
    globalSetup: 'hardhat-pending-node/vitest/setup',
    setupFiles: ['hardhat-pending-node/vitest'],
  },
}))
