import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import { type Outcome, playRecordings, type RunOptions } from './run.ts'

/** The data of these tests, which is no part of this project. */
const folder = process.env.CONFORMANCE_DIR || 'CONFORMANCE_DIR'

/** What is in that folder. */
export const conformanceData = {
  /** Recordings of ethereum/execution-apis, and the chain that they are about. */
  recordings: join(folder, 'execution-apis'),
  /** Fixtures of ethereum/execution-spec-tests, one test a line in `.jsonl.gz` files. */
  consensus: join(folder, 'consensus'),
  /** First blocks of Amsterdam's fixtures, likewise. */
  amsterdam: join(folder, 'amsterdam'),
  /** Requests to a wallet, each with the answer that wallets give. */
  wallet: join(folder, 'wallet-cases.json'),
} as const

/** The files of the test chain. */
export const testChain = {
  genesis: join(conformanceData.recordings, 'genesis.json'),
  import: join(conformanceData.recordings, 'chain.rlp'),
}

/** The methods that have recordings. */
export function recordedMethods(): string[] {
  return readdirSync(conformanceData.recordings, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** What was said to be missing: once in each worker, because reports do not show the names of skipped tests. */
const told = new Set<string>()

/** Tests with data, by default recordings. Without it they are skipped, or fail with `CONFORMANCE_REQUIRED`. */
export function describeConformance(
  name: string,
  body: () => void,
  data: keyof typeof conformanceData = 'recordings',
): void {
  const path = conformanceData[data]
  if (existsSync(path)) {
    describe(name, body)
    return
  }
  const help =
    data === 'wallet'
      ? 'it is not published'
      : 'run "node .ci/conformance.mjs", which fetches it and says what to set'
  const problem = `${path} is missing: ${help}`
  // A folder that was made before Amsterdam's were there lacks them.
  if (process.env.CONFORMANCE_REQUIRED && data !== 'amsterdam') {
    test(name, () => {
      throw new Error(problem)
    })
  } else {
    if (!told.has(problem)) console.warn(`Skipped: ${problem}`)
    told.add(problem)
    describe.skip(`${name}: ${problem}`, body)
  }
}

/** Plays recordings against a fresh node that has imported the test chain, with sealing frozen. */
export async function play(options: RunOptions): Promise<Outcome> {
  const devnet = createDevnet({ port: 0, ...testChain, frozen: true, simulateErrors: 'object' })
  await devnet.start()
  try {
    return await playRecordings(conformanceData.recordings, devnet.url, options)
  } finally {
    await devnet.stop()
  }
}
