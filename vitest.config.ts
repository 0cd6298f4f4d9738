import { defineConfig } from 'vitest/config'
import { fullTests, longestTests, youngSpace } from './test/full/fullTests.ts'

const part = process.env.LONG_TESTS ?? ''

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/programs/**', ...fullTests, ...longestTests],
    globalSetup: ['.ci/bundle.mjs', '.ci/core.mjs', '.ci/anvil.mjs'],
    env: { LONG_TESTS: part },
    // The default leaves one core to itself, which on two cores is half of them.
    maxWorkers: '100%',
    execArgv: [...youngSpace],
    // Test files share the modules of their worker, which need not be loaded again for each file.
    isolate: false,
    testTimeout: part === '' ? 30_000 : 600_000,
    hookTimeout: 30_000,
    // What is waited for comes; on a busy machine not within vitest's one second.
    expect: { poll: { timeout: 15_000 } },
  },
})
