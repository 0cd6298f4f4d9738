import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { ChainFileError } from '../primitives/errors.ts'
import { isSystemError, replaceFile } from '../primitives/files.ts'
import { readForeignFile } from '../primitives/foreign.ts'
import { type Hex, isHex } from '../primitives/hex.ts'
import { integerOr, isObject, jsonIn } from '../primitives/json.ts'
import type { Lines } from './cacheLine.ts'
import { ADDRESS_FORMS, type Capabilities } from './capabilities.ts'

/** Bytes above which the files that were not used for longest are removed. */
const LARGEST = 1 << 30

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
  readonly last: bigint | undefined
}

export const NOTHING_KNOWN: KnownCapabilities = { chains: new Map(), last: undefined }

/**
 * The folder of the disk cache. Processes share it without locks: values are appended in one write,
 * codes and capabilities are whole files that replace each other.
 */
export class CacheFolder {
  readonly path: string
  readonly #largest: number
  /** Codes that this process has written or read. */
  readonly #codes = new Map<string, Uint8Array>()

  /** @param largest - bytes; for tests */
  constructor(path: string, largest: number = LARGEST) {
    this.path = path
    this.#largest = largest
  }

  /** The folder that is used by default: one for all projects of the user. */
  static async ofUser(): Promise<CacheFolder> {
    const { default: envPaths } = await import('env-paths')
    return new CacheFolder(join(envPaths('hardhat-pending-node', { suffix: '' }).cache, 'fork'))
  }

  /** The text of a file, which counts as used now; empty if there is none. */
  async read(name: string): Promise<string> {
    const path = join(this.path, name)
    const text = (await ifThere(readForeignFile(path)))?.toString()
    if (text !== undefined) await touch(path)
    return text ?? ''
  }

  async append(name: string, text: string): Promise<void> {
    const path = join(this.path, name)
    await mkdir(dirname(path), { recursive: true })
    // Opened with O_APPEND: what two processes write does not mix.
    await appendFile(path, text)
  }

  /** Takes the lines of a file; `undefined` if they are to be appended. */
  lines(_name: string): Lines | undefined {
    return undefined
  }

  /** The name of a code; empty for no code. */
  codeName(code: Uint8Array): string {
    return code.length === 0 ? '' : createHash('sha256').update(code).digest('hex')
  }

  async writeCode(name: string, code: Uint8Array): Promise<void> {
    if (this.#codes.has(name)) return
    await this.#replace(join('code', name), code)
    this.#codes.set(name, code)
  }

  /** `undefined` if it is not there, or damaged. */
  async readCode(name: string): Promise<Uint8Array | undefined> {
    if (name === '') return EMPTY_BYTES
    const known = this.#codes.get(name)
    if (known !== undefined) return known
    if (!/^[0-9a-f]{64}$/.test(name)) return undefined
    const path = join(this.path, 'code', name)
    const read = await ifThere(readForeignFile(path))
    if (read === undefined) return undefined
    const code = new Uint8Array(read)
    if (this.codeName(code) !== name) return undefined
    await touch(path)
    this.#codes.set(name, code)
    return code
  }

  /** Known facts of the nodes at a URL: there may be one for each chain. */
  async readCapabilities(upstream: string): Promise<KnownCapabilities> {
    const text = await ifThere(readForeignFile(join(this.path, capabilitiesFile(upstream))))
    return text === undefined ? NOTHING_KNOWN : parseKnown(text.toString())
  }

  /** Keeps what is known of one of them, which was used last. */
  async writeCapabilities(
    upstream: string,
    chainId: bigint,
    capabilities: Capabilities,
  ): Promise<void> {
    const { chains } = await this.readCapabilities(upstream)
    const all = Object.fromEntries(new Map(chains).set(chainId, capabilities))
    const text = JSON.stringify({ last: String(chainId), chains: all })
    await this.#replace(capabilitiesFile(upstream), text)
  }

  async blocks(upstream: string): Promise<CachedBlock[]> {
    const chains = (await ifThere(readdir(this.path))) ?? []
    const found: CachedBlock[] = []
    for (const chain of chains.filter(isChainId)) {
      for (const name of (await ifThere(readdir(join(this.path, chain)))) ?? []) {
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
    const last = await ifThere(stat(mark))
    if (last !== undefined && Date.now() - last.mtimeMs < SWEEP_INTERVAL) return
    await mkdir(this.path, { recursive: true })
    await writeFile(mark, '')
    const names = (await ifThere(readdir(this.path, { recursive: true }))) ?? []
    const files: { path: string; size: number; used: number }[] = []
    for (const name of names) {
      const path = join(this.path, name)
      const found = await ifThere(stat(path))
      if (found?.isFile() === true) files.push({ path, size: found.size, used: found.mtimeMs })
    }
    let size = files.reduce((sum, file) => sum + file.size, 0)
    for (const file of files.toSorted((a, b) => a.used - b.used)) {
      if (size <= this.#largest) return
      await rm(file.path, { force: true })
      size -= file.size
    }
  }

  /** Writes a file whole or not at all. */
  async #replace(name: string, content: string | Uint8Array): Promise<void> {
    const path = join(this.path, name)
    await mkdir(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`
    try {
      await writeFile(temporary, content)
      await replaceFile(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }
}

/** The name of a block's file, without what tells its kinds apart. */
export function fileOf({ upstream, chainId, number, hash }: CachedBlock): string {
  return `${chainId}/${number}-${hash}-${upstream}`
}

function capabilitiesFile(upstream: string): string {
  return join('upstreams', `${upstream}.json`)
}

const FLAGS = [
  'accountInfo',
  'overrides',
  'callBalances',
  'accessList',
  'accessListOverrides',
] as const

function parseKnown(text: string): KnownCapabilities {
  const value = jsonIn(text)
  // A damaged file is as good as none: what it says is learned anew.
  if (!isObject(value) || !isObject(value.chains)) return NOTHING_KNOWN
  const { last, chains } = value
  return {
    chains: new Map(
      Object.entries(chains).flatMap(([id, known]): [bigint, Capabilities][] =>
        isChainId(id) && isObject(known) ? [[BigInt(id), readCapabilities(known)]] : [],
      ),
    ),
    last: isChainId(last) ? BigInt(last) : undefined,
  }
}

function isChainId(value: unknown): value is string {
  return typeof value === 'string' && /^\d+$/.test(value)
}

function readCapabilities(value: Readonly<Record<string, unknown>>): Capabilities {
  const { addressForm, batch } = value
  const form = ADDRESS_FORMS.find((each) => each === addressForm)
  const flags = FLAGS.filter((name) => typeof value[name] === 'boolean')
  return {
    ...(form === undefined ? {} : { addressForm: form }),
    ...Object.fromEntries(flags.map((name) => [name, value[name]])),
    ...(integerOr(batch, 0) >= 1 ? { batch: integerOr(batch, 0) } : {}),
  }
}

/** Result of a file system operation; `undefined` if the file or folder is not there. */
async function ifThere<Value>(operation: Promise<Value>): Promise<Value | undefined> {
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
