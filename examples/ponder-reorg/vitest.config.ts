import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Compiles the contracts before the tests.
    globalSetup: 'hardhat-pending-node/vitest/setup',
    // A slow machine needs time to load the chain.
    testTimeout: 20_000,
  },
})
