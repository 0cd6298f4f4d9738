import { bytesToBigInt, padTo32 } from '../../primitives/bytes.ts'
import { DevnetError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import { BLOCK_HASHES } from '../../protocol/systemContracts.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromBigInt } from '../../state/keys.ts'
import {
  type Prefetch,
  type PrefetchedCall,
  type RemoteAccount,
  type RemoteKeys,
  type RemoteSlot,
  type RemoteSource,
  type RemoteValues,
  UpstreamError,
} from '../../state/remote/remoteSource.ts'
import type { AddressKey } from '../../state/types.ts'
import type { BlockCache } from '../cache/blockCache.ts'
import type { BatchClient } from '../client/batchClient.ts'
import type { Capabilities } from '../client/capabilities.ts'
import { FailureAnswer, NoAnswer } from '../client/question.ts'
import type { UpstreamBlock } from '../types.ts'
import { CallReader, type ReadValues } from './callReader.ts'
import { NOTHING, Prefetcher } from './prefetcher.ts'
import type { ReadCall } from './readCall.ts'
import { accountAnswer, codeAnswer, nonceAnswer, numberAnswer, slotAnswer } from './stateAnswers.ts'
import { StateClient, type StateClientParameters, UnknownMethodError } from './stateClient.ts'

/** Blocks whose hashes the EIP-2935 contract keeps. */
const HASHES_KEPT = 8191n

interface StateSourceParameters extends StateClientParameters {
  /** Default: neither prefetches nor calls that read many values. */
  readonly prefetch?: 'access-list' | 'off'
}

/** Reads the fork block's state: the upstream is asked for what the disk cache does not have. */
export class StateSource implements RemoteSource {
  readonly #block: Pick<UpstreamBlock, 'number' | 'hash'>
  readonly #client: StateClient
  readonly #cache: BlockCache
  readonly #capabilities: Capabilities
  /** True if the contract of EIP-2935 is there; `undefined` until somebody asks. */
  #keepsHashes: Promise<boolean> | undefined
  readonly #prefetcher: Prefetcher | undefined
  /** `undefined` if no call may read many values. */
  readonly #reader: CallReader | undefined
  /** Calls whose reads were prefetched. */
  readonly #prefetched = new WeakSet<PrefetchedCall>()
  #cached = 0

  constructor(parameters: StateSourceParameters) {
    const { client, capabilities, prefetch = 'off' } = parameters
    this.#block = parameters.block
    this.#client = new StateClient(parameters)
    this.#cache = parameters.cache
    this.#capabilities = capabilities
    if (prefetch === 'off' || client === undefined) return
    this.#reader = new CallReader(capabilities, {
      call: (call) => this.#call(client, call),
      slot: (key) => settled(this.#askSlot(key)),
      balance: (key) => settled(this.#balance(addressHex(key), slotAnswer)),
    })
    this.#prefetcher = new Prefetcher(client, capabilities)
  }

  /** Values that the disk cache answered. */
  get cached(): number {
    return this.#cached
  }

  async load(
    { accounts, slots }: RemoteKeys,
    prefetches: readonly Prefetch[] = [],
  ): Promise<RemoteValues> {
    const cache = this.#cache
    const missingAccounts = accounts.filter((key) => cache.account(key) === undefined)
    const missingSlots = slots.filter((key) => cache.slot(key) === undefined)
    const missing = missingAccounts.length + missingSlots.length
    this.#cached += accounts.length + slots.length - missing
    // If the cache has all values, a prefetch would be a wasted request.
    if (missing > 0) for (const run of prefetches) void this.#find(run).then(run.found)
    // Requests of one turn of the event loop share a batch.
    const many = this.#readMany(missingSlots, missingAccounts)
    const account = (key: AddressKey) => {
      const known = cache.account(key)
      return known === undefined ? settled(this.#askAccount(key, many)) : known
    }
    const slot = (key: RemoteSlot) => cache.slot(key) ?? settled(this.#slotOf(key, many))
    const [allAccounts, allSlots] = [accounts.map(account), slots.map(slot)]
    return { accounts: await Promise.all(allAccounts), slots: await Promise.all(allSlots) }
  }

  async blockHash(number: bigint): Promise<Uint8Array> {
    const known = this.#cache.blockHash(number)
    if (known !== undefined) {
      this.#cached++
      return fromHex(known)
    }
    const what = `the hash of block ${number}`
    const hash = (await this.#keptHash(number)) ?? (await this.#client.blockHash(number, what))
    this.#cache.keepBlockHash(number, hash)
    return fromHex(hash)
  }

  /** Asks what a call is going to read, once. */
  async #find({ call, changes }: Prefetch): Promise<RemoteKeys> {
    if (this.#prefetcher === undefined || this.#prefetched.has(call)) return NOTHING
    this.#prefetched.add(call)
    return await this.#prefetcher.find(call, changes(), this.#client.address)
  }

  async #askAccount(
    key: AddressKey,
    many: Promise<ReadValues> | undefined,
  ): Promise<RemoteAccount | null> {
    const address = addressHex(key)
    const isWhole = this.#capabilities.accountInfo !== false
    const known = isWhole ? undefined : many?.then(({ balances }) => balances.get(key))
    const asked = isWhole ? this.#accountInfo(address) : this.#accountByParts(address, known)
    const account = await asked
    const { nonce, balance, code } = account
    const value = nonce === 0n && balance === 0n && code.length === 0 ? null : account
    this.#cache.keepAccount(key, value)
    return value
  }

  async #accountInfo(address: Hex): Promise<RemoteAccount> {
    const what = `account ${address}`
    try {
      const account = await this.#client.ask('eth_getAccountInfo', [address], accountAnswer, what)
      this.#capabilities.accountInfo ??= true
      return account
    } catch (error) {
      if (!(error instanceof UnknownMethodError)) throw error
      this.#capabilities.accountInfo = false
      return this.#accountByParts(address)
    }
  }

  /** @param read - the balance, if a call reads it */
  async #accountByParts(
    address: Hex,
    read?: Promise<Uint8Array | undefined>,
  ): Promise<RemoteAccount> {
    const ask = <Value>(method: string, read: (result: unknown) => Value, what: string) =>
      this.#client.ask(method, [address], read, `the ${what} of ${address}`)
    const askBalance = async () => {
      const known = read && (await read)
      return known === undefined ? this.#balance(address, numberAnswer) : bytesToBigInt(known)
    }
    const [balance, nonce, code] = await Promise.all([
      askBalance(),
      ask('eth_getTransactionCount', nonceAnswer, 'nonce'),
      ask('eth_getCode', codeAnswer, 'code'),
    ])
    return { balance, nonce, code }
  }

  #balance<Value>(address: Hex, read: (result: unknown) => Value): Promise<Value> {
    return this.#client.ask('eth_getBalance', [address], read, `the balance of ${address}`)
  }

  /** Reads of one call, in the place of single requests; `undefined` if there is none. */
  #readMany(
    slots: readonly RemoteSlot[],
    accounts: readonly AddressKey[],
  ): Promise<ReadValues> | undefined {
    if (!this.#client.isProved) return undefined
    // Upstreams with `eth_getAccountInfo` give a whole account in one answer.
    return this.#reader?.read(slots, this.#capabilities.accountInfo === false ? accounts : [])
  }

  async #slotOf(slot: RemoteSlot, many: Promise<ReadValues> | undefined): Promise<Uint8Array> {
    const known = (await many)?.slots.get(slot)
    if (known === undefined) return await this.#askSlot(slot)
    this.#cache.keepSlot(slot, known)
    return known
  }

  /** `undefined` if the upstream does not answer such a call, or not now. */
  async #call(
    client: BatchClient,
    { transaction, overrides, read }: ReadCall,
  ): Promise<Uint8Array[] | undefined> {
    try {
      const { parameter, isGuarded } = this.#client.address
      const params = [transaction, parameter, overrides]
      const values = await client.ask({ method: 'eth_call', params, read, isGuarded, attempts: 1 })
      if (values === undefined) this.#capabilities.overrides = false
      return values
    } catch (error) {
      // Then each value is requested on its own, and its error is reported.
      if (error instanceof FailureAnswer) this.#capabilities.overrides ??= false
      else if (!(error instanceof NoAnswer)) throw error
      return undefined
    }
  }

  async #askSlot(key: RemoteSlot): Promise<Uint8Array> {
    const [address, slot] = [addressHex(key[0]), slotHex(key[1])]
    const what = `slot ${slot} of ${address}`
    const value = await this.#client.ask('eth_getStorageAt', [address, slot], slotAnswer, what)
    this.#cache.keepSlot(key, value)
    return value
  }

  /**
   * The hash from the contract of EIP-2935, anchored by the fork block's hash like all its state;
   * `undefined` if the contract is not there, is another, or does not know the block.
   */
  async #keptHash(number: bigint): Promise<Hex | undefined> {
    if (number >= this.#block.number || number < this.#block.number - HASHES_KEPT) return undefined
    const contract = addressKeyFromHex(BLOCK_HASHES.address)
    this.#keepsHashes ??= this.#codeIs(contract, BLOCK_HASHES.code).catch((error: unknown) => {
      this.#keepsHashes = undefined
      throw error
    })
    if (!(await this.#keepsHashes)) return undefined
    const slot = [contract, slotKeyFromBigInt(number % HASHES_KEPT)] as const
    const [value] = (await this.load({ accounts: [], slots: [slot] })).slots
    if (value === undefined || value instanceof UpstreamError) throw value
    // A hash may begin with zeros, which the state leaves out.
    return value.length === 0 ? undefined : toHex(padTo32(value))
  }

  async #codeIs(key: AddressKey, code: Hex): Promise<boolean> {
    const [account] = (await this.load({ accounts: [key], slots: [] })).accounts
    if (account instanceof UpstreamError) throw account
    return account !== null && account !== undefined && toHex(account.code) === code
  }
}

/** The value, or the {@link UpstreamError} in its place. */
async function settled<Value>(value: Promise<Value>): Promise<Value | UpstreamError> {
  try {
    return await value
  } catch (error) {
    if (error instanceof UpstreamError) return error
    if (error instanceof DevnetError) {
      return new UpstreamError(error.message, { transient: true, cause: error })
    }
    throw error
  }
}
