import { defineConfig } from 'vitest/config'

/** What takes too long for every run, or looks at the package as a whole. */
export default defineConfig({
  test: {
    include: ['test/full/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
