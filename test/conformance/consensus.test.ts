import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Core } from '../../devnet/engine/core/core.ts'
import { Engine } from '../../devnet/engine/engine.ts'
import type { EngineChoice } from '../../devnet/engine/fast/route.ts'
import { installRunLoops, interpreterPrototype } from '../../devnet/engine/library/runLoop.ts'
import { resolveOptions } from '../../devnet/options/options.ts'
import { createFileBase, readGenesisFile } from '../../devnet/persistence/import/genesisFile.ts'
import { importChain } from '../../devnet/persistence/import/importChain.ts'
import { concatBytes } from '../../devnet/primitives/bytes.ts'
import { ChainFileError } from '../../devnet/primitives/errors.ts'
import { fromHex, type Hex } from '../../devnet/primitives/hex.ts'
import { Codes } from '../../devnet/state/codes.ts'
import { temporaryFile } from '../support/genesisFile.ts'
import { runs, sample } from '../support/longRuns.ts'
import { Random } from '../support/random.ts'
import { conformanceData, describeConformance } from './conformance.ts'
import { REFUSALS } from './refusals.ts'

/** A blockchain test of ethereum/execution-spec-tests, without the decoded copies of its blocks. */
interface Fixture {
  readonly name: string
  /** A hardfork, or two and the time at which the second begins: `PragueToOsakaAtTime15k`. */
  readonly network: string
  readonly config: {
    readonly chainid: Hex
    readonly blobSchedule?: Readonly<Record<string, Readonly<Record<string, Hex>>>>
  }
  readonly genesisBlockHeader: { readonly hash: Hex } & Readonly<Record<string, Hex>>
  readonly pre: Readonly<Record<string, object>>
  /** In order; each is on top of the last valid one before it. */
  readonly blocks: readonly { readonly rlp: Hex; readonly expectException?: string }[]
  readonly lastblockhash: Hex
}

/** How many tests there are, and how many of them are of networks that this node does not know. */
const TOTAL = 7848
const UNSUPPORTED = 0

/** Whether this is `npm run test:long`, or the full run, whose default is the library. */
const isLong = runs(2) === 2
const isFull = resolveOptions().engine === 'library'

/** Both engines in the long and in the full run. */
const ENGINES: readonly EngineChoice[] = isLong || isFull ? ['fast', 'library'] : ['fast']

/** The tests that are played: the full run has a tenth of its own. */
function chosenTests(): Set<number> {
  const all = Array.from({ length: TOTAL }, (_, index) => index)
  if (isLong || !isFull) return new Set(sample(all))
  const random = new Random(1)
  return new Set(all.filter(() => random.once(10)))
}

/** Hardforks in order, with the fields of a genesis file that begin them. */
const FORKS: readonly (readonly [network: string, ...fields: string[]])[] = [
  ['Frontier'],
  ['Homestead', 'homesteadBlock'],
  ['EIP150', 'eip150Block'],
  ['EIP158', 'eip155Block', 'eip158Block'],
  ['Byzantium', 'byzantiumBlock'],
  ['Constantinople', 'constantinopleBlock'],
  ['ConstantinopleFix', 'petersburgBlock'],
  ['Istanbul', 'istanbulBlock'],
  ['Berlin', 'berlinBlock'],
  ['London', 'londonBlock'],
  ['Paris', 'mergeNetsplitBlock'],
  ['Shanghai', 'shanghaiTime'],
  ['Cancun', 'cancunTime'],
  ['Prague', 'pragueTime'],
  ['Osaka', 'osakaTime'],
  ['BPO1', 'bpo1Time'],
  ['BPO2', 'bpo2Time'],
]

/** `config` of a genesis file; `undefined` if this node does not know the network. */
function configOf({ network, config }: Fixture): Record<string, unknown> | undefined {
  const [, first = network, second = first] = /^(\w+)To(\w+)AtTime15k$/.exec(network) ?? []
  const [from = -1, to = -1] = [first, second].map((name) =>
    FORKS.findIndex(([fork]) => fork === name),
  )
  if (from === -1 || to === -1) return undefined
  const beginnings = FORKS.slice(0, to + 1).flatMap(([, ...fields], index) =>
    fields.map((field) => [field, index <= from ? 0 : 15_000] as const),
  )
  return {
    chainId: Number(config.chainid),
    ...Object.fromEntries(beginnings),
    blobSchedule: Object.fromEntries(
      Object.entries(config.blobSchedule ?? {}).map(([name, entry]) => [name.toLowerCase(), entry]),
    ),
  }
}

/** One engine for all tests of the same rules, as one node has for all its blocks. */
const engines = new Map<string, Promise<Engine>>()

/** Written anew for each test: thousands of files would fill the disk. */
const genesisFile = temporaryFile('genesis.json', '')
const chainFile = temporaryFile('chain.rlp', '')

/** A test, and how it is played. */
interface Play {
  readonly test: Fixture
  readonly config: object
  readonly engine: EngineChoice
}

/** Imports blocks on top of the genesis block of a test; answers the hashes of both ends. */
async function importBlocks({ test, config, engine: choice }: Play, blocks: readonly Hex[]) {
  const { genesisBlockHeader, pre } = test
  writeFileSync(genesisFile, JSON.stringify({ ...genesisBlockHeader, config, alloc: pre }))
  const genesis = await readGenesisFile(genesisFile)
  const key = `${choice} ${JSON.stringify(config)}`
  const engine =
    engines.get(key) ??
    Engine.create({ ...genesis, engine: choice, codes: (keccak256) => new Codes(keccak256) })
  engines.set(key, engine)
  const base = await createFileBase(genesis, await engine)
  const first = base.history.head.hash
  writeFileSync(chainFile, concatBytes(...blocks.map((rlp) => fromHex(rlp))))
  const signal = new AbortController().signal
  await importChain(chainFile, base, await engine, { keepBlocks: 0, signal })
  return { first, last: base.history.head.hash }
}

/** Plays one test: the node must take its valid blocks, and refuse each other one for its reason. */
async function play(played: Play): Promise<{ readonly refused: number }> {
  const { test } = played
  const valid: Hex[] = []
  let refused = 0
  for (const { rlp, expectException } of test.blocks) {
    if (expectException === undefined) {
      valid.push(rlp)
      continue
    }
    const refusal = await refusalOf(played, [...valid, rlp])
    const reasons = expectException.split('|').map((name) => REFUSALS[name])
    if (reasons.every((reason) => reason === undefined || !reason.test(refusal))) {
      throw new Error(`${expectException} was expected, not: ${refusal}`)
    }
    refused++
  }
  const { first, last } = await importBlocks(played, valid)
  expect(first).toBe(test.genesisBlockHeader.hash)
  expect(last).toBe(test.lastblockhash)
  return { refused }
}

/** The sentence with which the last of these blocks is refused. */
async function refusalOf(played: Play, blocks: readonly Hex[]): Promise<string> {
  const offset = blocks.slice(0, -1).reduce((sum, rlp) => sum + (rlp.length - 2) / 2, 0)
  try {
    await importBlocks(played, blocks)
  } catch (error) {
    if (error instanceof ChainFileError && error.message.includes(`, byte ${offset}: `)) {
      return error.message
    }
    throw error
  }
  throw new Error('A block was taken that is invalid')
}

/** Counts the frames that run: all, and those that the core runs. */
async function countFrames() {
  // First, because it patches the same method for good.
  await installRunLoops()
  const interpreter = await interpreterPrototype()
  const { run } = interpreter
  const { enter } = Core.prototype
  const count = { all: 0, core: 0 }
  Core.prototype.enter = function counted(...parameters) {
    count.all++
    count.core++
    enter.apply(this, parameters)
  }
  interpreter.run = function counted(...parameters) {
    count.all++
    return run.apply(this, parameters)
  }
  const stop = () => {
    interpreter.run = run
    Core.prototype.enter = enter
  }
  return { count, stop }
}

/** The tests in the order of their files, each as JSON. */
function* fixtures(): Generator<string> {
  for (const file of readdirSync(conformanceData.consensus).sort()) {
    if (!file.endsWith('.jsonl.gz')) continue
    yield* gunzipSync(readFileSync(join(conformanceData.consensus, file)))
      .toString()
      .trimEnd()
      .split('\n')
  }
}

describeConformance(
  'the consensus tests of ethereum/execution-spec-tests',
  () => {
    let frames: Awaited<ReturnType<typeof countFrames>>
    beforeAll(async () => {
      frames = await countFrames()
    })
    afterAll(() => {
      frames.stop()
      engines.clear()
    })

    test.each(ENGINES)(
      'default: the import takes what is valid, and nothing else, %s',
      {
        timeout: 1_200_000,
      },
      async (engine) => {
        const before = { ...frames.count }
        const chosen = chosenTests()
        const failed: string[] = []
        const unsupported: string[] = []
        let [index, passed, refused] = [0, 0, 0]
        for (const json of fixtures()) {
          if (!chosen.has(index++)) continue
          // The files have this form; what they lack would fail below.
          const fixture = JSON.parse(json) as Fixture
          const config = configOf(fixture)
          if (config === undefined) {
            unsupported.push(fixture.network)
            continue
          }
          try {
            refused += (await play({ test: fixture, config, engine })).refused
            passed++
          } catch (error) {
            failed.push(`${fixture.name}: ${error instanceof Error ? error.message : error}`)
          }
        }
        expect(failed).toEqual([])
        expect(index).toBe(TOTAL)
        expect(passed + unsupported.length).toBe(chosen.size)
        // A network that becomes unknown, or known, is to be noticed.
        expect(unsupported).toHaveLength(UNSUPPORTED)
        expect(refused).toBeGreaterThan(chosen.size / 80)
        expect(frames.count.all - before.all).toBeGreaterThan(10 * passed)
        const inCore = frames.count.core - before.core
        if (engine === 'fast') expect(inCore).toBeGreaterThan(5 * passed)
        else expect(inCore).toBe(0)
      },
    )
  },
  'consensus',
)
