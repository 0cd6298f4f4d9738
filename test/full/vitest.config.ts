import { defineConfig } from 'vitest/config'
import { longTests } from './longTests.ts'

export default defineConfig({
  test: {
    include: [...longTests],
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
