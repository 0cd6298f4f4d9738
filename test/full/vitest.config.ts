import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { fullTests, longestTests, mockingTests, youngSpace } from './fullTests.ts'
import { filesOf, isJudgedChanged, sampledFiles, shareOf, shareSeed } from './shares.ts'

/** Browsers, packages, command lines, whole projects, other people's clients and nodes. */
const full: TestProjectInlineConfiguration = {
  test: { name: 'full', include: [...fullTests, ...longestTests] },
}

/** All of the long random tests, of which the others play a part. */
function long(): TestProjectInlineConfiguration {
  return { test: { name: 'long', include: sampledFiles(), env: { LONG_TESTS: '1' } } }
}

const libraryTests = ['test/{conformance,devnet}/**/*.test.ts']

const notLibraryTests = [
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
]

/**
 * The tests of the node and the recordings of other nodes, on @ethereumjs/vm instead of the fast
 * engine; a tenth of the official consensus tests on both. With the seed of a share, one file in
 * five, unless what the library judges has changed.
 */
function library(seed: number | undefined): TestProjectInlineConfiguration {
  const all = filesOf(libraryTests, notLibraryTests)
  return {
    test: {
      name: 'library',
      include: seed === undefined || isJudgedChanged() ? all : shareOf(all, seed),
      setupFiles: ['test/full/engines/libraryEngine.ts'],
      // The same seeds as all of it has: no other run has the others on the library alone.
      env: { TEST_SHARE: '' },
      isolate: false,
    },
  }
}

/**
 * The long random tests, in which the library executes what the fast engine does, and must agree: all
 * of them, or with the seed of a share a tenth.
 */
function shadowed(seed: number | undefined): TestProjectInlineConfiguration {
  return {
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
      env: { LONG_TESTS: seed === undefined ? '1' : '10' },
    },
  }
}

/** `--mode long` plays all of what is played in part elsewhere: `npm run test:long`. */
export default defineConfig(({ mode }) => {
  const seed = mode === 'long' ? undefined : shareSeed()
  const projects = [mode === 'long' ? long() : full, library(seed), shadowed(seed)]
  return {
    test: {
      // One after the other: each uses all cores.
      projects: projects.map(({ test, ...rest }, order) => ({
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
  }
})
