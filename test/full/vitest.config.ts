import { defineConfig } from 'vitest/config'
import { fullTests } from './fullTests.ts'

export default defineConfig({
  test: {
    include: [...fullTests],
    globalSetup: ['.ci/bundle.mjs', '.ci/core.mjs'],
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
