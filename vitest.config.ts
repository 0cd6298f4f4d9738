import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What test/full/vitest.config.ts runs instead.
    exclude: ['test/bench/**', 'test/full/**', 'test/integration/{edr,ethers,hardhat,viem}/**'],
    // The default leaves one core to itself, which on two cores is half of them.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
