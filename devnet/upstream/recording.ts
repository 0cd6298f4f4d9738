import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { OptionError, reasonOf, shorten } from '../primitives/errors.ts'
import { isSystemError, leftoversOf, replaceFile } from '../primitives/files.ts'
import { readForeignFileNow, unwritable } from '../primitives/foreign.ts'
import { fromHex, isBytes, toHex } from '../primitives/hex.ts'
import { integerOr, isObject, parseForeign } from '../primitives/json.ts'
import { SerialQueue } from '../primitives/serialQueue.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import { type CachedBlock, CacheFolder } from './cacheFolder.ts'
import { checkedLine, type Lines, LineWriter, readLine } from './cacheLine.ts'
import type { UpstreamOptions } from './types.ts'
import type { UpstreamTime } from './upstreamTime.ts'

const VERSION = 1

/** Number of first fields that tell an entry from all others. */
const KEY_FIELDS = new Map<unknown, number>(
  Object.entries({ account: 2, answer: 2, block: 1, config: 1, hash: 2, pending: 1, slot: 3 }),
)

/** Adds what is missing to a recording that is there. */
const VARIABLE = 'PENDING_NODE_RECORD'

/** Waits for another process that saves, which takes some ms. */
const [PAUSE, MOST_PAUSES] = [20, 100] as const

/** Recordings that this process makes, by path: all its networks add to them. */
const made = new Map<string, Recording>()

/**
 * A cache of one block in one file: JSON with an entry a line, sorted, so that equal reads give
 * equal bytes. It holds nothing that tells where it was read. If it is played, nobody is asked.
 */
export class Recording extends CacheFolder {
  readonly isPlayed: boolean
  /** Starts find out the block one after the other. */
  readonly starts = new SerialQueue()
  /** `undefined` if it is new. */
  #block: CachedBlock | undefined
  /** In JSON, by what tells them apart. */
  readonly #entries = new Map<string, string>()
  /** The file as it was last seen. */
  #text: string | undefined
  /** False before a start has succeeded with it. */
  #isReady = false
  readonly #writer: LineWriter
  readonly #onFailure: (error: unknown) => void
  /** Becomes the file as a whole. */
  readonly #next: string

  private constructor(path: string, time: UpstreamTime, onWarning: (message: string) => void) {
    super(path)
    this.#next = `${path}.${process.pid}.tmp`
    this.isPlayed = isPlayed(path)
    this.#read()
    this.#onFailure = (error) =>
      onWarning(`the recording ${path} cannot be written: ${reasonOf(error)}`)
    this.#writer = new LineWriter(time, () => this.#save(), this.#onFailure)
    if (this.isPlayed) return
    this.#prepare()
    made.set(resolve(path), this)
    if (made.size === 1) {
      process.on('exit', () => {
        for (const one of made.values()) one.#saveAtExit()
      })
    }
  }

  /** Makes the folder, and removes what processes left there that were killed while saving. */
  #prepare(): void {
    const folder = dirname(this.path)
    try {
      mkdirSync(folder, { recursive: true })
      for (const { path, isAbandoned } of leftoversOf(this.path, readdirSync(folder))) {
        if (isAbandoned) rmSync(path, { force: true })
      }
    } catch (error) {
      throw isSystemError(error) ? unwritable(this.path, error) : error
    }
  }

  /**
   * @throws {ChainFileError} if the file cannot be read
   * @throws {OptionError} if it is damaged, or of a newer version
   */
  static open(path: string, time: UpstreamTime, onWarning: (message: string) => void): Recording {
    const known = made.get(resolve(path))
    // One that was deleted since is made anew.
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

  /** A start has succeeded: what it has read is worth a file. */
  ready(): void {
    this.#isReady = true
    if (!this.isPlayed) this.#writer.add('')
  }

  #otherThan(wanted: string): OptionError {
    const { number, hash, chainId } = this.#block ?? {}
    return new OptionError(
      `The recording ${this.path} is of block ${number} (${hash}) of chain ${chainId}, not of ${wanted}: name another file, or delete it.`,
    )
  }

  override async read(name: string): Promise<string> {
    const entries = [...this.#entries.values()].map((line): unknown[] => JSON.parse(line))
    return entries
      .filter(([kind]) => (kind === 'answer') === isOfAnswers(name))
      .map((entry) => checkedLine(isOfAnswers(name) ? entry.slice(1) : entry))
      .join('\n')
  }

  override lines(name: string): Lines {
    const add = (line: string) => {
      const value = readLine(line)
      if (Array.isArray(value)) this.#put(isOfAnswers(name) ? ['answer', ...value] : value)
      this.#writer.add('')
    }
    return { add, close: () => this.#writer.close() }
  }

  /** The code itself. */
  override codeName(code: Uint8Array): string {
    return code.length === 0 ? '' : toHex(code)
  }

  override async readCode(name: string): Promise<Uint8Array | undefined> {
    return name === '' ? EMPTY_BYTES : isBytes(name) ? fromHex(name) : undefined
  }

  #put(entry: readonly unknown[], isOfFile = false): void {
    const fields = KEY_FIELDS.get(entry[0])
    if (fields === undefined) throw new SyntaxError('an entry of no known kind')
    const key = JSON.stringify(entry.slice(0, fields))
    // What the file has stays.
    if (isOfFile || !this.#entries.has(key)) this.#entries.set(key, JSON.stringify(entry, sorted))
  }

  /** Takes what the file holds by now. */
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
    const lock = `${this.path}.lock`
    // One that stays is that of a killed process; without it entries may be lost, but no file.
    for (let pauses = 0; !isTaken(lock) && pauses < MOST_PAUSES; pauses++) await setTimeout(PAUSE)
    try {
      const text = this.#write()
      if (text === undefined) return
      await replaceFile(this.#next, this.path)
      this.#text = text
    } finally {
      rmSync(this.#next, { force: true })
      rmSync(lock, { force: true })
    }
  }

  /** Never throws: others are to be written too. */
  #saveAtExit(): void {
    try {
      if (this.#write() !== undefined) renameSync(this.#next, this.path)
    } catch (error) {
      this.#onFailure(error)
      rmSync(this.#next, { force: true })
    }
  }

  /** Writes what is to replace the file. @returns it; `undefined` if nothing is new */
  #write(): string | undefined {
    if (this.#block === undefined || !this.#isReady) return undefined
    this.#read()
    const { chainId, number, hash } = this.#block
    const head = { version: VERSION, chainId: Number(chainId), number: Number(number), hash }
    const entries = [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const lines = entries.map(([, line]) => line).join(',\n')
    const text = `${JSON.stringify(head).slice(0, -1)},"entries":[\n${lines}\n]}\n`
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

function isOfAnswers(name: string): boolean {
  return name.endsWith('.answers.jsonl')
}

/** True if the lock is this process's now. */
function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

/** For `JSON.stringify`: upstreams write fields in any order. */
function sorted(_: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
