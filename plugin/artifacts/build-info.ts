import { existsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { CompiledContract, CompiledSource, Definition } from '../../devnet/index.ts'
import {
  isObject,
  type Paced,
  parseForeignInPieces,
  plainText,
  readForeignFile,
  runPaced,
  TurnTime,
} from '../../devnet/pluginApi.ts'
import type { Artifact } from './artifact.ts'

type Json = Readonly<Record<string, unknown>>

interface BuildInfo {
  readonly sources: ReadonlyMap<number, CompiledSource>
  /** Source maps and layout of storage by the full names of the contracts. */
  readonly contracts: ReadonlyMap<string, Json>
}

/** Larger files are not read: all of one is in memory for a while. */
const MAX_FILE_SIZE = 268_435_456

/** Maximum characters and definitions of a source: each row of a stack searches all of them. */
const MAX_SOURCE = 1 << 20
const MOST_DEFINITIONS = 2000

/** Maximum number of kept build infos: some projects have one a file. Keeps only the sources. */
const MAX_KEPT = 16

/** The outputs of the compiler in a folder of artifacts, each read when it is first asked for. */
export class BuildInfos {
  readonly #folder: string
  readonly #kept = new Map<string, Promise<BuildInfo>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * The source map and the sources of a contract; `undefined` if it has no build info.
   *
   * @throws {Error} if that cannot be read
   */
  async compiled({ name, source, buildInfo: id }: Artifact): Promise<CompiledContract | undefined> {
    if (id === undefined || !existsSync(join(this.#folder, 'build-info', `${id}.json`))) {
      return undefined
    }
    let reading = this.#kept.get(id)
    if (reading === undefined) {
      reading = this.#read(id)
      this.#kept.set(id, reading)
      // It may be complete the next time. The error goes to whoever asked.
      reading.catch(() => this.#kept.delete(id))
      const [oldest] = this.#kept.keys()
      if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    }
    const { sources, contracts } = await reading
    const { creationSourceMap, deployedSourceMap, storageLayout } = fieldsOf(
      contracts.get(`${source}:${name}`),
    )
    const isKnown = typeof creationSourceMap === 'string' && typeof deployedSourceMap === 'string'
    if (!isKnown) return undefined
    return { creationSourceMap, deployedSourceMap, sources, storageLayout }
  }

  async #read(id: string): Promise<BuildInfo> {
    const read = async (name: string) =>
      fieldsOf(await readSlowly(join(this.#folder, 'build-info', name), MAX_FILE_SIZE))
    const input = fieldsOf((await read(`${id}.json`)).input)
    const output = fieldsOf((await read(`${id}.output.json`)).output)
    const sources = new Map<number, CompiledSource>()
    const time = new TurnTime()
    for (const [name, { id: number, ast }] of entriesOf(output.sources)) {
      const text = fieldsOf(fieldsOf(input.sources)[name]).content
      if (typeof number !== 'number' || typeof text !== 'string') continue
      if (text.length > MAX_SOURCE) continue
      const definitions = await runPaced(definitionsIn(ast), time)
      sources.set(number, { ...this.#fileOf(name), text, definitions })
    }
    const contracts = new Map<string, Json>()
    for (const [source, given] of entriesOf(output.contracts)) {
      for (const [name, { evm, storageLayout }] of entriesOf(given)) {
        const { bytecode, deployedBytecode } = fieldsOf(evm)
        const { sourceMap: creationSourceMap } = fieldsOf(bytecode)
        const { sourceMap: deployedSourceMap } = fieldsOf(deployedBytecode)
        const kept = { creationSourceMap, deployedSourceMap, storageLayout }
        contracts.set(`${source}:${name}`, kept)
        await time.yieldIfDue()
      }
    }
    return { sources, contracts }
  }

  /** A source's name without the words of Hardhat, and its file if the project has it. */
  #fileOf(source: string): Pick<CompiledSource, 'name' | 'path'> {
    const name = source.replace(/^project\/|^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]*/, '$1')
    const root = dirname(resolve(this.#folder))
    for (const folder of [root, join(root, 'node_modules')]) {
      const path = resolve(folder, name)
      // The project may have been compiled elsewhere.
      if (path.startsWith(root + sep) && existsSync(path)) return { name, path }
    }
    return { name, path: undefined }
  }
}

/** The JSON in a file of the compiler. */
export async function readSlowly(path: string, most: number): Promise<unknown> {
  const text = (await readForeignFile(path, most)).toString()
  return await runPaced(parseForeignInPieces(text), new TurnTime())
}

function fieldsOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

function entriesOf(value: unknown): [string, Json][] {
  return Object.entries(fieldsOf(value)).map(([name, each]) => [name, fieldsOf(each)])
}

const KINDS = {
  ContractDefinition: 'contract',
  FunctionDefinition: 'function',
  ModifierDefinition: 'modifier',
} as const

/** Contracts of a file, and functions of both; not all if no file has as many. */
function* definitionsIn(
  node: unknown,
  contract: string | null = null,
  found: Definition[] = [],
): Paced<Definition[]> {
  const { nodes } = fieldsOf(node)
  for (const inner of Array.isArray(nodes) ? nodes : []) {
    yield
    if (found.length >= MOST_DEFINITIONS) break
    const { nodeType, name, kind: special, src } = fieldsOf(inner)
    const known = Object.entries(KINDS).find(([type]) => type === nodeType)
    if (known === undefined || typeof name !== 'string') continue
    const [start = 0, length = 0] = plainText(src).split(':').map(Number)
    const [, kind] = known
    const range = { start, end: start + length }
    if (kind === 'contract') {
      found.push({ kind, contract: name, name: '', ...range })
      yield* definitionsIn(inner, name, found)
    } else found.push({ kind, contract, name: name || plainText(special), ...range })
  }
  return found
}
