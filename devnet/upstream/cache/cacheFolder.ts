import { appendFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Scheduler } from '../../engine/scheduler.ts'
import { ChainFileError, reasonOf } from '../../primitives/errors.ts'
import { isSystemError } from '../../primitives/files.ts'
import { readForeignFile } from '../../primitives/foreign.ts'
import { type Hex, isHex } from '../../primitives/hex.ts'
import { jsonIn } from '../../primitives/json.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import {
  either,
  keyedObject,
  mapped,
  objectOf,
  readWith,
  refuse,
  text,
} from '../../primitives/reader.ts'
import { CAPABILITIES, type Capabilities } from '../client/capabilities.ts'
import type { UpstreamTime } from '../client/upstreamTime.ts'
import { type Entry, type Keeper, SoonWriter } from './keeper.ts'

/** Bytes above which the files that were not used for longest are removed. */
const LARGEST = 1 << 30

const CHAIN_ID_FORM = /^\d+$/

/** ms between two looks at the size of the folder. */
const SWEEP_INTERVAL = 3_600_000

export interface CachedBlock {
  /** {@link Endpoint.key} of whoever said what the file holds: others may say otherwise. */
  readonly upstream: string
  readonly chainId: bigint
  readonly number: bigint
  readonly hash: Hex
}

export interface KnownCapabilities {
  /** By chain id. */
  readonly chains: ReadonlyMap<bigint, Capabilities>
  /** The chain that was used last. */
  readonly last?: bigint | undefined
}

export const NOTHING_KNOWN: KnownCapabilities = { chains: new Map(), last: undefined }

/**
 * The folder of the disk cache. Processes share it without locks: values are appended in one write,
 * and what two of them damage is learned anew.
 */
export class CacheFolder {
  readonly path: string
  readonly #largest: number

  /** @param largest - bytes; for tests */
  constructor(path: string, largest: number = LARGEST) {
    this.path = path
    this.#largest = largest
  }

  /** @param path - `false` for none. Default: one for all projects of the user */
  static async choose(path: string | false | undefined): Promise<CacheFolder | undefined> {
    if (path === false) return undefined
    if (path !== undefined) return new CacheFolder(path)
    const { default: envPaths } = await import('env-paths')
    return new CacheFolder(join(envPaths('hardhat-pending-node', { suffix: '' }).cache, 'fork'))
  }

  /** @param onWarning - hears once if it cannot be written */
  keeper(
    { upstream, chainId, number, hash }: CachedBlock,
    time: UpstreamTime,
    onWarning: (message: string) => void,
  ): Keeper {
    const path = join(this.path, `${chainId}/${number}-${hash}-${upstream}.jsonl`)
    return new BlockFile(path, time, onWarning)
  }

  /** Known facts of the nodes at a URL: there may be one for each chain. */
  async readCapabilities(upstream: string): Promise<KnownCapabilities> {
    const text = await ifExists(readForeignFile(this.#capabilitiesOf(upstream)))
    return readWith(KNOWN, text && jsonIn(text.toString()), (error) => error)
  }

  /** Keeps what is known of one of them, which was used last. */
  async writeCapabilities(
    upstream: string,
    chainId: bigint,
    capabilities: Capabilities,
  ): Promise<void> {
    const { chains, last } = await this.readCapabilities(upstream)
    const isKnown = JSON.stringify(chains.get(chainId)) === JSON.stringify(capabilities)
    if (isKnown && last === chainId) return
    const all = Object.fromEntries(new Map(chains).set(chainId, capabilities))
    const path = this.#capabilitiesOf(upstream)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, JSON.stringify({ last: String(chainId), chains: all }))
  }

  #capabilitiesOf(upstream: string): string {
    return join(this.path, 'upstreams', `${upstream}.json`)
  }

  async blocks(upstream: string): Promise<CachedBlock[]> {
    const chains = (await ifExists(readdir(this.path))) ?? []
    const found: CachedBlock[] = []
    for (const chain of chains.filter((name) => CHAIN_ID_FORM.test(name))) {
      for (const name of (await ifExists(readdir(join(this.path, chain)))) ?? []) {
        const file = /^(\d+)-(0x[0-9a-f]{64})-([0-9a-f]{32})\.jsonl$/.exec(name)
        const [, number, hash, by] = file ?? []
        if (number === undefined || !isHex(hash) || by !== upstream) continue
        found.push({ upstream, chainId: BigInt(chain), number: BigInt(number), hash })
      }
    }
    return found
  }

  /** Removes what was not used for longest, if there is too much. Looks at most once an hour. */
  async sweep(): Promise<void> {
    const mark = join(this.path, 'swept')
    const last = await ifExists(stat(mark))
    if (last !== undefined && Date.now() - last.mtimeMs < SWEEP_INTERVAL) return
    await mkdir(this.path, { recursive: true })
    await writeFile(mark, '')
    const names = (await ifExists(readdir(this.path, { recursive: true }))) ?? []
    const files: { path: string; size: number; used: number }[] = []
    for (const name of names) {
      const path = join(this.path, name)
      const found = await ifExists(stat(path))
      if (found?.isFile() === true) files.push({ path, size: found.size, used: found.mtimeMs })
    }
    let size = files.reduce((sum, file) => sum + file.size, 0)
    for (const file of files.toSorted((a, b) => a.used - b.used)) {
      if (size <= this.#largest) return
      await rm(file.path, { force: true })
      size -= file.size
    }
  }
}

/** A file with an entry a line, to which each process appends. */
class BlockFile implements Keeper {
  readonly path: string
  readonly #writer: SoonWriter
  #lines: string[] = []

  constructor(path: string, time: UpstreamTime, onWarning: (message: string) => void) {
    this.path = path
    let hasWarned = false
    const onFailure = (error: unknown) => {
      if (!hasWarned) onWarning(`the cache of the upstream cannot be written: ${reasonOf(error)}`)
      hasWarned = true
    }
    this.#writer = new SoonWriter(time, () => this.#append(), onFailure)
  }

  async load(take: (entry: readonly unknown[], size: number) => void): Promise<void> {
    const text = (await ifExists(readForeignFile(this.path)))?.toString()
    if (text === undefined) return
    await touch(this.path)
    await runPaced(readLines(text, take), new Scheduler())
  }

  keep(entry: Entry): void {
    this.#lines.push(checkedLine(entry))
    this.#writer.writeSoon()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  async #append(): Promise<void> {
    // The line break in front ends the half line of a process that was killed.
    const text = `\n${this.#lines.join('\n')}\n`
    this.#lines = []
    await mkdir(dirname(this.path), { recursive: true })
    // Opened with O_APPEND: what two processes write does not mix.
    await appendFile(this.path, text)
  }
}

/** A line of a block's file: a list of the value's CRC-32 and the value. */
function checkedLine(value: Entry): string {
  const text = JSON.stringify(value)
  return `["${checksum(text)}",${text}]`
}

function* readLines(text: string, take: Parameters<Keeper['load']>[0]): Paced<void> {
  for (const line of text.split('\n')) {
    const entry = readLine(line)
    if (Array.isArray(entry)) take(entry, line.length)
    yield
  }
}

/** The value of a line; `undefined` if the line is damaged, empty or cut off. */
function readLine(line: string): unknown {
  // Cut by position: matching a long rest with a pattern would need much backtracking memory.
  const text = line.slice(12, -1)
  const isWhole = /^\["[0-9a-f]{8}",/.test(line) && line.endsWith(']')
  return isWhole && checksum(text) === line.slice(2, 10) ? jsonIn(text) : undefined
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

const CHAIN_ID = mapped(text(), (id, context) =>
  CHAIN_ID_FORM.test(id) ? BigInt(id) : refuse(context, id, 'a chain id'),
)

/** A damaged file is as good as none: what it says is learned anew. */
const KNOWN = either<KnownCapabilities>(
  'what is known',
  objectOf({
    fields: { chains: keyedObject(CHAIN_ID, CAPABILITIES, 'chains') },
    optional: { last: CHAIN_ID },
  }),
  () => NOTHING_KNOWN,
)

/** Result of a file system operation; `undefined` if the file or folder is not there. */
async function ifExists<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation
  } catch (error) {
    const cause = error instanceof ChainFileError ? error.cause : error
    if (isSystemError(cause, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Marks a file as used; one that may not be written to is used all the same. */
async function touch(path: string): Promise<void> {
  const now = new Date()
  try {
    await utimes(path, now, now)
  } catch (error) {
    if (!isSystemError(error, 'EACCES', 'EPERM', 'EROFS', 'ENOENT')) throw error
  }
}
