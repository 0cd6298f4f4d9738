import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { fromHex, type Hex, quantity, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromHex } from '../state/keys.ts'
import type { RemoteAccount, RemoteSlot } from '../state/remote/remoteSource.ts'
import type { AddressKey } from '../state/types.ts'
import type { CachedBlock, CacheFolder } from './cacheFolder.ts'
import { checkedLine, readLine } from './cacheLine.ts'
import { isHash } from './upstreamBlock.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** ms after which what became known is appended to the file. */
const WRITE_INTERVAL = 250

/** An account as the file has it; `null` for an empty one. The code lies in a file of its own. */
type CachedAccount = {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: string
} | null

interface BlockCacheParameters {
  readonly time: UpstreamTime
  readonly onWarning: (message: string) => void
  /** Whether a text must not be written to a file. */
  readonly hasSecret: (text: string) => boolean
}

/**
 * What is known of a block's state, in memory and in a file to which each process appends. A value
 * of a block never changes, so that it does not matter who wrote it, or how often.
 */
export class BlockCache {
  /** `undefined`: memory only. */
  readonly #folder: CacheFolder | undefined
  readonly #file: string
  readonly #time: UpstreamTime
  readonly #onWarning: (message: string) => void
  readonly #hasSecret: (text: string) => boolean
  readonly #accounts = new Map<AddressKey, CachedAccount>()
  readonly #slots = new Map<string, Uint8Array>()
  readonly #hashes = new Map<bigint, Hex>()
  #block: unknown
  #config: unknown
  #lines: string[] = []
  #codes: { readonly name: string; readonly code: Uint8Array }[] = []
  #cancelWrite: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #hasWarned = false

  private constructor(
    folder: CacheFolder | undefined,
    file: string,
    { time, onWarning, hasSecret }: BlockCacheParameters,
  ) {
    this.#folder = folder
    this.#file = file
    this.#time = time
    this.#onWarning = onWarning
    this.#hasSecret = hasSecret
  }

  /** A cache of a block that no file keeps. */
  static inMemory(time: UpstreamTime): BlockCache {
    const nothing = { onWarning: () => undefined, hasSecret: () => false }
    return new BlockCache(undefined, '', { time, ...nothing })
  }

  /** Reads what the folder has of a block. Damaged lines are left out. */
  static async open(
    folder: CacheFolder,
    block: CachedBlock,
    parameters: BlockCacheParameters,
  ): Promise<BlockCache> {
    const file = blockFile(block)
    const cache = new BlockCache(folder, file, parameters)
    for (const line of (await folder.read(file)).split('\n')) cache.#take(readLine(line))
    return cache
  }

  /** The block as the upstream answered it; `undefined` if no file has it. */
  get block(): unknown {
    return this.#block
  }

  keepBlock(block: Readonly<Record<string, unknown>>): void {
    if (this.#block !== undefined) return
    this.#block = block
    this.#appendJson(['block', block])
  }

  /** The answer to `eth_config` at the block's time; `undefined` if no file has it. */
  get config(): unknown {
    return this.#config
  }

  keepConfig(config: unknown): void {
    if (this.#config !== undefined) return
    this.#config = config
    this.#appendJson(['config', config])
  }

  /** `undefined` if it is not known, or if its code is damaged. */
  async account(key: AddressKey): Promise<RemoteAccount | null | undefined> {
    const known = this.#accounts.get(key)
    if (known === undefined || known === null) return known
    const code = this.#folder === undefined ? undefined : await this.#folder.readCode(known.code)
    return code === undefined ? undefined : { nonce: known.nonce, balance: known.balance, code }
  }

  keepAccount(key: AddressKey, account: RemoteAccount | null): void {
    if (this.#folder === undefined) return
    const address = addressHex(key)
    if (account === null) {
      this.#append(['account', address])
      return
    }
    const { nonce, balance, code } = account
    const name = this.#folder.codeName(code)
    if (name !== '') this.#codes.push({ name, code })
    this.#append(['account', address, quantity(nonce), quantity(balance), name])
  }

  slot([account, slot]: RemoteSlot): Uint8Array | undefined {
    return this.#slots.get(account + slot)
  }

  keepSlot([account, slot]: RemoteSlot, value: Uint8Array): void {
    this.#append(['slot', addressHex(account), slotHex(slot), toHex(value)])
  }

  blockHash(number: bigint): Hex | undefined {
    return this.#hashes.get(number)
  }

  keepBlockHash(number: bigint, hash: Hex): void {
    this.#append(['hash', quantity(number), hash])
  }

  /** Writes what the file does not have yet. */
  async close(): Promise<void> {
    this.#write()
    await this.#writing
  }

  /** Keeps what the upstream has said in its own words, among which may be a key. */
  #appendJson(value: readonly unknown[]): void {
    if (!this.#hasSecret(JSON.stringify(value))) this.#append(value)
  }

  #append(value: readonly unknown[]): void {
    if (this.#folder === undefined) return
    this.#lines.push(checkedLine(value))
    this.#cancelWrite ??= this.#time.after(WRITE_INTERVAL, () => this.#write())
  }

  #write(): void {
    this.#cancelWrite?.()
    this.#cancelWrite = undefined
    const folder = this.#folder
    const [lines, codes] = [this.#lines, this.#codes]
    if (folder === undefined || lines.length === 0) return
    this.#lines = []
    this.#codes = []
    this.#writing = this.#writing.then(async () => {
      try {
        // First, because a line names them.
        await Promise.all(codes.map(({ name, code }) => folder.writeCode(name, code)))
        // The line break in front ends the half line of a process that was killed.
        await folder.append(this.#file, `\n${lines.join('\n')}\n`)
      } catch (error) {
        this.#warn(error)
      }
    })
  }

  /** A full disk must not end a chain; each start warns once. */
  #warn(error: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#onWarning(`the cache of the upstream cannot be written: ${reason}`)
  }

  /** Takes a line of the file, which a stranger may have written. */
  #take(value: unknown): void {
    if (!Array.isArray(value)) return
    const [kind, ...fields]: readonly unknown[] = value
    if (kind === 'block') {
      if (isObject(fields[0])) this.#block = fields[0]
      return
    }
    if (kind === 'config') {
      this.#config = fields[0]
      return
    }
    if (!fields.every((field) => typeof field === 'string')) return
    const [first = '', second = '', third = '', fourth = ''] = fields
    if (kind === 'hash' && isNumber(first) && isHash(second)) {
      this.#hashes.set(BigInt(first), second)
    }
    if (!/^0x[0-9a-f]{40}$/.test(first)) return
    const key = addressKeyFromHex(first)
    if (kind === 'slot' && isHash(second) && /^0x(?:[0-9a-f]{2}){0,32}$/.test(third)) {
      this.#slots.set(key + slotKeyFromHex(second), withoutLeadingZeros(fromHex(third)))
    } else if (kind === 'account' && fields.length === 1) {
      this.#accounts.set(key, null)
    } else if (kind === 'account' && isNumber(second) && isNumber(third)) {
      this.#accounts.set(key, { nonce: BigInt(second), balance: BigInt(third), code: fourth })
    }
  }
}

/** The file of a block's values in the cache folder. */
function blockFile({ chainId, number, hash }: CachedBlock): string {
  return `${chainId}/${number}-${hash}.jsonl`
}

function isNumber(text: string): boolean {
  return /^0x[0-9a-f]{1,64}$/.test(text)
}
