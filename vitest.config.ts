import { defineConfig } from 'vitest/config'
import { longTests } from './test/full/longTests.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', ...longTests],
    // The default leaves one core to itself, which on two cores is half of them.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
