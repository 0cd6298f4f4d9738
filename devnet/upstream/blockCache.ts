import { resolve } from 'node:path'
import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { reasonOf } from '../primitives/errors.ts'
import { fromHex, type Hex, isBytes, quantity, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromHex } from '../state/keys.ts'
import type { RemoteAccount, RemoteSlot } from '../state/remote/remoteSource.ts'
import type { AddressKey, SlotKey } from '../state/types.ts'
import { type CachedBlock, type CacheFolder, fileOf } from './cacheFolder.ts'
import { checkedLine, type Lines, LineWriter, readLine } from './cacheLine.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** `null` for an empty account. */
type CachedAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  /** As it was read upstream, or the name of the file that has it. */
  readonly code: Uint8Array | string
} | null

/** The block, `eth_config` at its time, and what a recording stands on above it. */
const FACTS = ['block', 'config', 'pending'] as const

type Fact = (typeof FACTS)[number]

interface BlockCacheParameters {
  readonly time: UpstreamTime
  readonly onWarning: (message: string) => void
}

/** Caches in use by the paths of their files: networks of a process share them. */
const inUse = new Map<string, Promise<BlockCache>>()

/**
 * An upstream's answers about a block's state, in memory and in a file to which each process
 * appends. A value of a block never changes: it does not matter which process wrote it, or how
 * often.
 *
 * All networks of a process that keep the same block of the same upstream in the same folder have
 * the same cache: one does not ask for what another has read, even if no file has it yet.
 */
export class BlockCache {
  /** `undefined`: memory only. */
  readonly #folder: CacheFolder | undefined
  readonly #file: string
  readonly #writer: Lines
  readonly #accounts = new Map<AddressKey, CachedAccount>()
  readonly #slots = new Map<AddressKey, Map<SlotKey, Uint8Array>>()
  readonly #hashes = new Map<bigint, Hex>()
  readonly #facts = new Map<unknown, unknown>()
  #codes: { readonly name: string; readonly code: Uint8Array }[] = []
  /** Upstreams that use it. */
  #users = 0

  private constructor(
    folder: CacheFolder | undefined,
    file: string,
    { time, onWarning }: BlockCacheParameters,
  ) {
    this.#folder = folder
    this.#file = file
    // Each start warns once.
    let hasWarned = false
    const onFailure = (error: unknown) => {
      if (!hasWarned) onWarning(`the cache of the upstream cannot be written: ${reasonOf(error)}`)
      hasWarned = true
    }
    const append = (text: string) => this.#append(text)
    this.#writer = folder?.lines(file) ?? new LineWriter(time, append, onFailure)
  }

  /** A cache of a block that nobody keeps, and that knows nothing. */
  static inMemory(time: UpstreamTime): BlockCache {
    return new BlockCache(undefined, '', { time, onWarning: () => undefined })
  }

  /**
   * All that the process or the folder knows of a block. Damaged lines of its file are left out.
   * Whoever opens it closes it.
   *
   * @param parameters - those of the first one that opens it hold for all
   */
  static async open(
    folder: CacheFolder,
    block: CachedBlock,
    parameters: BlockCacheParameters,
  ): Promise<BlockCache> {
    const file = `${fileOf(block)}.jsonl`
    const path = resolve(folder.path, file)
    let opening = inUse.get(path)
    if (opening === undefined) {
      opening = new BlockCache(folder, file, parameters).#load()
      inUse.set(path, opening)
    }
    try {
      const cache = await opening
      cache.#users++
      return cache
    } catch (error) {
      if (inUse.get(path) === opening) inUse.delete(path)
      throw error
    }
  }

  async #load(): Promise<this> {
    const text = await this.#folder?.read(this.#file)
    for (const line of text?.split('\n') ?? []) this.#take(readLine(line))
    return this
  }

  /** A fact as the upstream answered it; `undefined` if nobody has kept it. */
  fact(name: Fact): unknown {
    return this.#facts.get(name)
  }

  /** @param value - without secrets */
  keepFact(name: Fact, value: unknown): void {
    if (this.#facts.has(name)) return
    this.#facts.set(name, value)
    this.#add([name, value])
  }

  /** `undefined` if it is not known, or if its code is damaged. */
  async account(key: AddressKey): Promise<RemoteAccount | null | undefined> {
    const known = this.#accounts.get(key)
    if (known === undefined || known === null) return known
    const { nonce, balance } = known
    const code =
      typeof known.code === 'string' ? await this.#folder?.readCode(known.code) : known.code
    return code === undefined ? undefined : { nonce, balance, code }
  }

  keepAccount(key: AddressKey, account: RemoteAccount | null): void {
    if (this.#folder === undefined) return
    const known = this.#accounts.get(key)
    // If the file of a code is damaged, it is written anew.
    if (known === null || (known !== undefined && typeof known.code !== 'string')) return
    this.#accounts.set(key, account)
    const address = addressHex(key)
    if (account === null) {
      this.#add(['account', address])
      return
    }
    const { nonce, balance, code } = account
    const name = this.#folder.codeName(code)
    if (name !== '') this.#codes.push({ name, code })
    this.#add(['account', address, quantity(nonce), quantity(balance), name])
  }

  slot([account, slot]: RemoteSlot): Uint8Array | undefined {
    return this.#slots.get(account)?.get(slot)
  }

  keepSlot([account, slot]: RemoteSlot, value: Uint8Array): void {
    if (this.#folder === undefined || this.slot([account, slot]) !== undefined) return
    this.#setSlot(account, slot, value)
    this.#add(['slot', addressHex(account), slotHex(slot), toHex(value)])
  }

  #setSlot(account: AddressKey, slot: SlotKey, value: Uint8Array): void {
    const slots = this.#slots.get(account) ?? new Map<SlotKey, Uint8Array>()
    this.#slots.set(account, slots.set(slot, value))
  }

  blockHash(number: bigint): Hex | undefined {
    return this.#hashes.get(number)
  }

  keepBlockHash(number: bigint, hash: Hex): void {
    if (this.#folder === undefined || this.#hashes.has(number)) return
    this.#hashes.set(number, hash)
    this.#add(['hash', quantity(number), hash])
  }

  /** Writes what the file does not have yet. After the last close of all users it is forgotten. */
  async close(): Promise<void> {
    this.#users--
    await this.#writer.close()
    if (this.#folder === undefined || this.#users > 0) return
    const path = resolve(this.#folder.path, this.#file)
    if ((await inUse.get(path)) === this && this.#users === 0) inUse.delete(path)
  }

  #add(value: readonly unknown[]): void {
    if (this.#folder !== undefined) this.#writer.add(checkedLine(value))
  }

  async #append(text: string): Promise<void> {
    const folder = this.#folder
    const codes = this.#codes
    this.#codes = []
    // First, because a line names them.
    await Promise.all(codes.map(({ name, code }) => folder?.writeCode(name, code)))
    await folder?.append(this.#file, text)
  }

  /** Takes a line of the file, which a stranger may have written. */
  #take(value: unknown): void {
    if (!Array.isArray(value)) return
    const [kind, ...fields]: readonly unknown[] = value
    if (FACTS.some((name) => name === kind)) {
      if (kind === 'config' || isObject(fields[0])) this.#facts.set(kind, fields[0])
      return
    }
    if (!fields.every((field) => typeof field === 'string')) return
    const [first = '', second = '', third = '', fourth = ''] = fields
    if (kind === 'hash' && isNumber(first) && isBytes(second, 32)) {
      this.#hashes.set(BigInt(first), second)
    }
    if (!/^0x[0-9a-f]{40}$/.test(first)) return
    const key = addressKeyFromHex(first)
    if (kind === 'slot' && isBytes(second, 32) && /^0x(?:[0-9a-f]{2}){0,32}$/.test(third)) {
      this.#setSlot(key, slotKeyFromHex(second), withoutLeadingZeros(fromHex(third)))
    } else if (kind === 'account' && fields.length === 1) {
      this.#accounts.set(key, null)
    } else if (kind === 'account' && isNumber(second) && isNumber(third)) {
      this.#accounts.set(key, { nonce: BigInt(second), balance: BigInt(third), code: fourth })
    }
  }
}

function isNumber(text: string): boolean {
  return /^0x[0-9a-f]{1,64}$/.test(text)
}
