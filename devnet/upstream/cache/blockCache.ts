import { resolve } from 'node:path'
import { EMPTY_BYTES, withoutLeadingZeros } from '../../primitives/bytes.ts'
import { fromHex, type Hex, isBytes, quantity, toHex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { getOrCreate } from '../../primitives/memo.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromHex } from '../../state/keys.ts'
import type { RemoteAccount, RemoteSlot } from '../../state/remote/remoteSource.ts'
import type { AddressKey, SlotKey } from '../../state/types.ts'
import type { Entry, Keeper } from './keeper.ts'

/** The block, `eth_config` at its time, and what a recording stands on above it. */
const FACTS = ['block', 'config', 'pending'] as const

type Fact = (typeof FACTS)[number]

/** Maximum characters of all kept answers to requests that were passed on. */
const LARGEST = 16 << 20

/** The answer to a request that was passed on. */
interface KeptAnswer {
  readonly answer: unknown
  /** The error in the place of an answer. */
  readonly error: unknown
}

/** Caches in use by the paths of their files: networks of a process share them. */
const inUse = new Map<string, Promise<BlockCache>>()

/**
 * An upstream's answers about a block, in memory and by a {@link Keeper}. A value of a block never
 * changes: it does not matter who wrote it, or how often.
 *
 * All networks of a process that keep the same block of the same upstream in the same file have
 * the same cache: one does not ask for what another has read, even if no file has it yet.
 */
export class BlockCache {
  readonly #keeper: Keeper
  readonly #accounts = new Map<AddressKey, RemoteAccount | null>()
  readonly #slots = new Map<AddressKey, Map<SlotKey, Uint8Array>>()
  readonly #hashes = new Map<bigint, Hex>()
  readonly #facts = new Map<unknown, unknown>()
  readonly #answers = new Map<string, KeptAnswer>()
  /** Characters that more answers may have. */
  #room: number
  /** Upstreams that use it. */
  #users = 1

  private constructor(keeper: Keeper, largest: number) {
    this.#keeper = keeper
    this.#room = keeper.keepsAll ? Infinity : largest
  }

  /**
   * All that the process or the keeper knows of a block. Whoever opens it closes it.
   *
   * @param largest - characters of all answers; for tests
   */
  static async open(keeper: Keeper, largest = LARGEST): Promise<BlockCache> {
    if (keeper.path === undefined) return new BlockCache(keeper, largest)
    const path = resolve(keeper.path)
    const shared = inUse.get(path)
    if (shared !== undefined) {
      const cache = await shared
      cache.#users++
      return cache
    }
    const opening = new BlockCache(keeper, largest).#load()
    inUse.set(path, opening)
    opening.catch(() => inUse.delete(path))
    return await opening
  }

  async #load(): Promise<this> {
    await this.#keeper.load((entry, size) => {
      this.#take(entry)
      if (entry[0] === 'answer') this.#room -= size
    })
    return this
  }

  /** Path of the recording that keeps all answers, errors included; `undefined` if none does. */
  get recording(): string | undefined {
    return this.#keeper.keepsAll ? this.#keeper.path : undefined
  }

  /** A fact as the upstream answered it; `undefined` if nobody has kept it. */
  fact(name: Fact): unknown {
    return this.#facts.get(name)
  }

  /** @param value - without secrets */
  keepFact(name: Fact, value: unknown): void {
    this.#keep(this.#facts, name, value, [name, value])
  }

  /** `undefined` if it is not known. */
  account(key: AddressKey): RemoteAccount | null | undefined {
    return this.#accounts.get(key)
  }

  keepAccount(key: AddressKey, account: RemoteAccount | null): void {
    const fields = account === null ? [] : accountFields(account)
    this.#keep(this.#accounts, key, account, ['account', addressHex(key), ...fields])
  }

  slot([account, slot]: RemoteSlot): Uint8Array | undefined {
    return this.#slots.get(account)?.get(slot)
  }

  keepSlot([account, slot]: RemoteSlot, value: Uint8Array): void {
    const entry = ['slot', addressHex(account), slotHex(slot), toHex(value)] as const
    this.#keep(this.#slotsOf(account), slot, value, entry)
  }

  #slotsOf(account: AddressKey): Map<SlotKey, Uint8Array> {
    return getOrCreate(this.#slots, account, () => new Map())
  }

  blockHash(number: bigint): Hex | undefined {
    return this.#hashes.get(number)
  }

  keepBlockHash(number: bigint, hash: Hex): void {
    this.#keep(this.#hashes, number, hash, ['hash', quantity(number), hash])
  }

  #keep<Key, Value>(known: Map<Key, Value>, key: Key, value: Value, entry: Entry): void {
    // Without a file, only the chain needs to remember the state.
    if (this.#keeper.path === undefined || known.has(key)) return
    known.set(key, value)
    this.#keeper.keep(entry)
  }

  /** The answer to a request; `undefined` if none is kept. */
  answer(key: string): KeptAnswer | undefined {
    return this.#answers.get(key)
  }

  /**
   * @param kept - without secrets
   * @param size - in characters
   */
  keepAnswer(key: string, kept: KeptAnswer, size: number): void {
    if (this.#answers.has(key) || size > this.#room) return
    this.#room -= size
    this.#answers.set(key, kept)
    const { answer, error } = kept
    this.#keeper.keep(['answer', key, answer, ...(error === undefined ? [] : [error])])
  }

  /** After the last close of all users it is forgotten, once all is written. */
  async close(): Promise<void> {
    this.#users--
    if (this.#users > 0 || this.#keeper.path === undefined) return
    await this.#keeper.close()
    const path = resolve(this.#keeper.path)
    if ((await inUse.get(path)) === this && this.#users === 0) inUse.delete(path)
  }

  /** Takes an entry, which a stranger may have written. */
  #take([kind, ...fields]: readonly unknown[]): void {
    if (FACTS.some((name) => name === kind)) {
      if (kind === 'config' || isObject(fields[0])) this.#facts.set(kind, fields[0])
      return
    }
    if (kind === 'answer' && typeof fields[0] === 'string') {
      this.#answers.set(fields[0], { answer: fields[1], error: fields[2] })
      return
    }
    if (!fields.every((field) => typeof field === 'string')) return
    const [first = '', second = '', third = '', code = ''] = fields
    if (kind === 'hash' && isNumber(first) && isBytes(second, 32)) {
      this.#hashes.set(BigInt(first), second)
    }
    if (!/^0x[0-9a-f]{40}$/.test(first)) return
    const key = addressKeyFromHex(first)
    if (kind === 'slot' && isBytes(second, 32) && /^0x(?:[0-9a-f]{2}){0,32}$/.test(third)) {
      this.#slotsOf(key).set(slotKeyFromHex(second), withoutLeadingZeros(fromHex(third)))
    } else if (kind === 'account' && fields.length === 1) {
      this.#accounts.set(key, null)
    } else if (kind === 'account' && isNumber(second) && isNumber(third)) {
      if (code !== '' && !isBytes(code)) return
      const bytes = code === '' ? EMPTY_BYTES : fromHex(code)
      this.#accounts.set(key, { nonce: BigInt(second), balance: BigInt(third), code: bytes })
    }
  }
}

function accountFields({ nonce, balance, code }: RemoteAccount): string[] {
  return [quantity(nonce), quantity(balance), code.length === 0 ? '' : toHex(code)]
}

function isNumber(text: string): boolean {
  return /^0x[0-9a-f]{1,64}$/.test(text)
}
