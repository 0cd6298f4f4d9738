import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { OptionError, reasonOf, shorten } from '../../primitives/errors.ts'
import { lockFile } from '../../primitives/fileLock.ts'
import { replaceFile } from '../../primitives/files.ts'
import { readForeignFileNow } from '../../primitives/foreign.ts'
import { fromHex, isBytes, toHex } from '../../primitives/hex.ts'
import { integerOr, isObject, parseForeign } from '../../primitives/json.ts'
import { SerialQueue } from '../../primitives/serialQueue.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { UpstreamTime } from '../client/upstreamTime.ts'
import type { UpstreamOptions } from '../types.ts'
import type { CachedBlock } from './cacheFolder.ts'
import { type Entry, type Keeper, SoonWriter } from './keeper.ts'

const VERSION = 1

/** Number of first fields that tell an entry from all others. */
const KEY_FIELDS = new Map<unknown, number>(
  Object.entries({ account: 2, answer: 2, block: 1, config: 1, hash: 2, pending: 1, slot: 3 }),
)

/** Environment variable: adds missing answers to an existing recording. */
const VARIABLE = 'PENDING_NODE_RECORD'

/** Recordings that this process makes, by path: all its networks add to them. */
const made = new Map<string, Recording>()

/** Paths of those that this process has locked until it ends. */
const locked = new Set<string>()

/**
 * Keeps all of one block in one file: JSON with an entry a line, sorted, so that equal reads give
 * equal bytes. It holds nothing that tells where it was read. If it is played, nobody is asked.
 */
export class Recording implements Keeper {
  readonly path: string
  readonly keepsAll = true
  readonly isPlayed: boolean
  /** Starts find out the block one after the other. */
  readonly starts = new SerialQueue()
  /** `undefined` if it is new. */
  #block: CachedBlock | undefined
  /** Entries by the fields that identify them. */
  readonly #entries = new Map<string, readonly unknown[]>()
  /** Entries in JSON. */
  readonly #lines = new WeakMap<readonly unknown[], string>()
  /** The file as it was last seen. */
  #text: string | undefined
  /** False before a start has succeeded with it. */
  #isReady = false
  readonly #writer: SoonWriter
  readonly #onFailure: (error: unknown) => void

  private constructor(path: string, time: UpstreamTime, onWarning: (message: string) => void) {
    this.path = path
    this.isPlayed = isPlayed(path)
    this.#read()
    this.#onFailure = (error) =>
      onWarning(`the recording ${path} cannot be written: ${reasonOf(error)}`)
    this.#writer = new SoonWriter(time, () => this.#save(), this.#onFailure)
    if (!this.isPlayed) made.set(resolve(path), this)
  }

  /**
   * @throws {ChainFileError} if the file cannot be read
   * @throws {OptionError} if it is damaged, or of a newer version
   */
  static open(path: string, time: UpstreamTime, onWarning: (message: string) => void): Recording {
    const known = made.get(resolve(path))
    // A recording whose file was deleted is made anew.
    const isThere = known !== undefined && (known.#text === undefined || existsSync(path))
    return isThere ? known : new Recording(path, time, onWarning)
  }

  /**
   * The block that it is of; `undefined` if it is new.
   *
   * @throws {OptionError} if another one is wanted
   */
  blockFor(wanted: UpstreamOptions['block']): CachedBlock | undefined {
    const { number, hash } = this.#block ?? {}
    const isOther =
      typeof wanted === 'bigint'
        ? wanted >= 0n && wanted !== number
        : isBytes(wanted) && wanted.toLowerCase() !== hash
    if (this.#block !== undefined && isOther) throw this.#otherThan(`block ${wanted}`)
    return this.#block
  }

  /** @throws {OptionError} if it is of another block */
  begin(block: CachedBlock): void {
    this.#block ??= block
    const { chainId, hash } = this.#block
    if (hash === block.hash && chainId === block.chainId) return
    throw this.#otherThan(`block ${block.number} (${block.hash}) of chain ${block.chainId}`)
  }

  /**
   * A start has succeeded: what it has read is worth a file.
   *
   * @throws {OptionError} if another process writes it
   */
  ready(): void {
    if (this.isPlayed || this.#isReady) return
    const path = resolve(this.path)
    if (!locked.has(path)) {
      lockFile(this.path, 'records to', 'wait for it')
      // Before the lock is removed.
      if (locked.size === 0) process.prependListener('exit', saveAll)
      locked.add(path)
    }
    this.#read()
    this.#isReady = true
    this.#writer.writeSoon()
  }

  /** Path of the new content, which then replaces the file. */
  get #next(): string {
    return `${this.path}.tmp`
  }

  #otherThan(wanted: string): OptionError {
    const { number, hash, chainId } = this.#block ?? {}
    return new OptionError(
      `The recording ${this.path} is of block ${number} (${hash}) of chain ${chainId}, not of ${wanted}: name another file, or delete it.`,
    )
  }

  async load(take: (entry: readonly unknown[], size: number) => void): Promise<void> {
    for (const entry of this.#entries.values()) take(entry, 0)
  }

  keep(entry: Entry): void {
    this.#put(entry)
    if (!this.isPlayed) this.#writer.writeSoon()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  #put(entry: readonly unknown[], isOfFile = false): void {
    const fields = KEY_FIELDS.get(entry[0])
    if (fields === undefined) throw new SyntaxError('an entry of no known kind')
    const key = JSON.stringify(entry.slice(0, fields))
    // Entries of the file take precedence.
    if (isOfFile || !this.#entries.has(key)) this.#entries.set(key, entry)
  }

  /** Reads entries that were added to the file meanwhile. */
  #read(): void {
    const text = existsSync(this.path) ? readForeignFileNow(this.path).toString() : this.#text
    if (text === this.#text || text === undefined) return
    try {
      const file = parseForeign(text)
      const { version, chainId, number, hash, entries } = isObject(file) ? file : {}
      if (typeof version === 'number' && version > VERSION) {
        throw new SyntaxError('a newer version of hardhat-pending-node made it')
      }
      const [id, height] = [integerOr(chainId, -1), integerOr(number, -1)]
      if (!isBytes(hash, 32) || !Array.isArray(entries) || id < 0 || height < 0) {
        throw new SyntaxError('it is damaged')
      }
      const place = { upstream: '', chainId: BigInt(id), number: BigInt(height) }
      this.begin({ ...place, hash: toHex(fromHex(hash)) })
      for (const entry of entries) this.#put(Array.isArray(entry) ? entry : [], true)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new OptionError(
        `The recording ${this.path} cannot be read, ${error.message}: delete the file to record it anew.`,
        { cause: error },
      )
    }
    this.#text = text
  }

  async #save(): Promise<void> {
    try {
      const text = this.#write()
      if (text === undefined) return
      await replaceFile(this.#next, this.path)
      this.#text = text
    } finally {
      rmSync(this.#next, { force: true })
    }
  }

  /** Never throws: others are to be written too. */
  saveAtExit(): void {
    try {
      if (this.#write() !== undefined) renameSync(this.#next, this.path)
    } catch (error) {
      this.#onFailure(error)
      rmSync(this.#next, { force: true })
    }
  }

  /** Writes the file's replacement. @returns its text; `undefined` if nothing is new */
  #write(): string | undefined {
    if (this.#block === undefined || !this.#isReady) return undefined
    const { chainId, number, hash } = this.#block
    const head = { version: VERSION, chainId: Number(chainId), number: Number(number), hash }
    const entries = [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const lines = entries.map(([, entry]) => {
      const line = this.#lines.get(entry) ?? JSON.stringify(entry, sorted)
      this.#lines.set(entry, line)
      return line
    })
    const text = `${JSON.stringify(head).slice(0, -1)},"entries":[\n${lines.join(',\n')}\n]}\n`
    if (text === this.#text) return undefined
    writeFileSync(this.#next, text)
    return text
  }
}

/** True if there is a recording, and a start with it asks nobody. */
export function isPlayed(path: string): boolean {
  return existsSync(path) && !made.has(resolve(path)) && !process.env[VARIABLE]
}

/** The error of a read that the recording does not hold. */
export function notRecorded(path: string, what: string): UpstreamError {
  return new UpstreamError(
    `the recording ${path} does not hold ${shorten(what, 300)}: delete the file, or run with ${VARIABLE}=1, to record it`,
  )
}

function saveAll(): void {
  for (const one of made.values()) one.saveAtExit()
}

/** For `JSON.stringify`: upstreams write fields in any order. */
function sorted(_: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
