import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { fullTests, longestTests, mockingTests, youngSpace } from './fullTests.ts'

/** Browsers, packages, command lines, whole projects, other people's clients and nodes. */
const full: TestProjectInlineConfiguration = {
  test: { name: 'full', include: [...fullTests, ...longestTests] },
}

/**
 * The tests of the node and the recordings of other nodes, on @ethereumjs/vm instead of the fast
 * engine; a tenth of the official consensus tests on both.
 */
const library: TestProjectInlineConfiguration = {
  test: {
    name: 'library',
    include: ['test/{conformance,devnet}/**/*.test.ts'],
    exclude: [
      // Execute nothing, or only transfers.
      'test/conformance/{run,sources,wallet}.test.ts',
      // Execute nothing.
      'test/devnet/{json,options,primitives,server,state}/**',
      // Name the engine that they are about.
      'test/devnet/engine/**',
      // The library has no threads for heavy calls.
      'test/devnet/rpc/heavy/**',
      // Want workers of their own.
      ...mockingTests,
    ],
    setupFiles: ['test/full/engines/libraryEngine.ts'],
    isolate: false,
  },
}

/**
 * The long random tests, in which the library executes what the fast engine does, and must agree: all
 * of them, or a tenth in CI, which has 25 minutes.
 */
const shadowed: TestProjectInlineConfiguration = {
  test: {
    name: 'shadowed',
    include: [
      'test/devnet/chain/{oracle,properties,steps}.test.ts',
      'test/devnet/chain/reservedBlocks.property.test.ts',
      'test/devnet/execution/simulateProperty.test.ts',
      'test/devnet/persistence/dump/roundTrip.test.ts',
      'test/devnet/rpc/methods/eth_simulateV1.fuzz.test.ts',
      'test/integration/edr/random.test.ts',
      'test/integration/finality.test.ts',
    ],
    setupFiles: ['test/full/engines/shadowed.ts'],
    env: { LONG_TESTS: process.env.CI === undefined ? '1' : '10' },
  },
}

export default defineConfig({
  test: {
    // One after the other: each uses all cores.
    projects: [full, library, shadowed].map(({ test, ...rest }, order) => ({
      ...rest,
      test: {
        ...test,
        execArgv: [...youngSpace],
        globalSetup: ['.ci/bundle.mjs', '.ci/core.mjs', '.ci/anvil.mjs'],
        sequence: { groupOrder: order },
        testTimeout: 600_000,
        hookTimeout: 600_000,
        expect: { poll: { timeout: 15_000 } },
      },
    })),
    maxWorkers: '100%',
  },
})
