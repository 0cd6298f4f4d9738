import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'

/** The execution-apis test chain, its recordings, what plays them, and the cases for wallets; no part of this project. */
export const conformanceFolder =
  process.env.CONFORMANCE_DIR ??
  fileURLToPath(new URL('../../../shared/conformance', import.meta.url))
const suite = join(conformanceFolder, 'execution-apis')
const runner = join(conformanceFolder, 'run.mjs')

/** The files of the test chain. */
export const testChain = {
  genesis: join(suite, 'genesis.json'),
  import: join(suite, 'chain.rlp'),
}

/** The methods that have recordings. */
export function recordedMethods(): string[] {
  return readdirSync(suite, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** What tests need that is no part of this project. */
interface Recordings {
  readonly path: string
  /** Where to get them. */
  readonly source: string
}

const RECORDINGS: Recordings = {
  path: runner,
  source: 'the folder tests of ethereum/execution-apis',
}

/**
 * Tests over recordings, by default those of execution-apis: left out where they are not there, but for CI, which must
 * not be green without them.
 */
export function describeConformance(
  name: string,
  body: () => void,
  { path, source }: Recordings = RECORDINGS,
): void {
  const problem = `${path} is missing: take it from ${source}, and name its folder with CONFORMANCE_DIR`
  if (existsSync(path)) describe(name, body)
  else if (process.env.CI === 'true') {
    test(name, () => {
      throw new Error(problem)
    })
  } else describe.skip(`${name}: ${problem}`, body)
}

/** How the runner ended: its exit code, the failed cases, and its last line. */
export interface Outcome {
  readonly code: number | null
  readonly failed: readonly string[]
  readonly summary: string
}

/** Plays recordings against a fresh node that has imported the test chain, with sealing frozen. */
export async function play(args: readonly string[]): Promise<Outcome> {
  const devnet = createDevnet({ port: 0, ...testChain, frozen: true, simulateErrors: 'object' })
  await devnet.start()
  try {
    const child = spawn(process.execPath, [runner, '--url', devnet.url, ...args])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
    }
    const [code]: (number | null)[] = await once(child, 'close')
    const lines = output.trimEnd().split('\n')
    return {
      code: code ?? null,
      failed: lines.filter((line) => line.startsWith('FAIL')),
      summary: lines.at(-1) ?? '',
    }
  } finally {
    await devnet.stop()
  }
}
