import { bytesToBigInt } from '../primitives/bytes.ts'
import { DevnetError, shorten } from '../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { BLOCK_HASHES } from '../protocol/systemContracts.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromBigInt } from '../state/keys.ts'
import {
  type RemoteAccount,
  type RemoteKeys,
  type RemoteSlot,
  type RemoteSource,
  type RemoteValues,
  type ScoutedCall,
  type ScoutFinds,
  type ScoutRun,
  UpstreamError,
} from '../state/remote/remoteSource.ts'
import type { AddressKey } from '../state/types.ts'
import { isStateGone, isUnknownMethod, type RpcFailure } from './answers.ts'
import { type BatchClient, FailureAnswer, type FailureChoice, NoAnswer } from './batchClient.ts'
import type { BlockCache } from './blockCache.ts'
import { CallReader, type ReadValues } from './callReader.ts'
import { ADDRESS_FORMS, type AddressForm, type Capabilities } from './capabilities.ts'
import type { ReadCall } from './readCall.ts'
import { Scout, type ScoutChoice } from './scout.ts'
import {
  readAccountInfo,
  readBlockHash,
  readCode,
  readNonce,
  readQuantity,
  readSlot,
} from './stateAnswers.ts'
import { TraceProof } from './traceProof.ts'
import type { UpstreamBlock } from './types.ts'

/** Attempts if a server does not have the block: behind a load balancer, another one may. */
export const STATE_ATTEMPTS = 3
/** Attempts on all other errors. */
const ERROR_ATTEMPTS = 5

/** Blocks whose hashes the EIP-2935 contract keeps. */
const HASHES_KEPT = 8191n

/** Codes of JSON-RPC that say that the request is wrong, so that a repetition is of no use. */
const WRONG_REQUEST = [-32600, -32602]

/** Reads the fork block's state: the upstream is asked for what the disk cache does not have. */
export class StateSource implements RemoteSource {
  readonly #chainId: bigint
  readonly #block: Pick<UpstreamBlock, 'number' | 'hash'>
  /** `undefined` if nobody may be asked. */
  readonly #client: BatchClient | undefined
  readonly #cache: BlockCache
  readonly #capabilities: Capabilities
  #form: AddressForm
  /** Forms that were not tried yet. */
  readonly #otherForms: AddressForm[]
  /** Whether the form has brought an answer. */
  #isFormProved = false
  /** The reason why the state is gone, while it is being looked for. */
  #reason: Promise<string> | undefined
  /** Whether the contract of EIP-2935 is there; `undefined` until somebody asks. */
  #keepsHashes: Promise<boolean> | undefined
  readonly #scout: Scout | undefined
  /** `undefined` if no call may read many values. */
  readonly #reader: CallReader | undefined
  /** Calls whose reads were told. */
  readonly #scouted = new WeakSet<ScoutedCall>()
  readonly #traces: TraceProof
  #cached = 0

  constructor(parameters: {
    readonly chainId: bigint
    readonly block: Pick<UpstreamBlock, 'number' | 'hash'>
    readonly client: BatchClient | undefined
    readonly cache: BlockCache
    /** Is changed when something is learned. */
    readonly capabilities: Capabilities
    /** Default: neither scouts nor calls that read many values. */
    readonly prefetch?: ScoutChoice | 'off'
    /** Hears of what is wrong with the upstream and does not stop the chain. Default: nobody */
    readonly onWarning?: ((message: string) => void) | undefined
  }) {
    this.#chainId = parameters.chainId
    this.#block = parameters.block
    this.#client = parameters.client
    this.#cache = parameters.cache
    this.#capabilities = parameters.capabilities
    this.#traces = new TraceProof(parameters.capabilities, () =>
      parameters.onWarning?.(
        'traces of the upstream tell other values than its single answers, and are not used',
      ),
    )
    this.#form = parameters.capabilities.addressForm ?? ADDRESS_FORMS[0]
    // Another node may answer at an origin that was seen before.
    this.#otherForms = ADDRESS_FORMS.filter((form) => form !== this.#form)
    const { client, prefetch = 'off' } = parameters
    this.#reader =
      prefetch === 'off'
        ? undefined
        : new CallReader(parameters.capabilities, {
            call: (call) => this.#call(call),
            slot: (key) => settled(this.#askSlot(key)),
            balance: (key) => settled(this.#balance(addressHex(key), readSlot)),
          })
    this.#scout =
      client === undefined || prefetch === 'off'
        ? undefined
        : new Scout({ client, capabilities: this.#capabilities, choice: prefetch })
    const { number, hash } = parameters.block
    client?.guard({
      method: 'eth_getBlockByNumber',
      params: [quantity(number), false],
      check(result) {
        const found = isObject(result) ? result.hash : undefined
        if (found === hash) return
        throw new Error(
          typeof found === 'string'
            ? `it has replaced the block by ${found}: reset to a block that it has`
            : 'it does not have the block any more: reset to another block',
        )
      },
    })
  }

  /** Values that the disk cache answered. */
  get cached(): number {
    return this.#cached
  }

  async load(
    { accounts, slots }: RemoteKeys,
    scouts: readonly ScoutRun[] = [],
  ): Promise<RemoteValues> {
    const cache = this.#cache
    const knownAccounts = await Promise.all(accounts.map((key) => cache.account(key)))
    const knownSlots = slots.map((key) => cache.slot(key))
    const missingAccounts = accounts.filter((_, index) => knownAccounts[index] === undefined)
    const missingSlots = slots.filter((_, index) => knownSlots[index] === undefined)
    const known = [...knownAccounts, ...knownSlots].filter((value) => value !== undefined)
    this.#cached += known.length
    // Where the cache knows it all, a scout is an item for nothing.
    const isMissing = known.length < accounts.length + slots.length
    const finds = isMissing ? scouts.map((run) => this.#find(run)) : []
    // All are asked for in this turn of the event loop, and so together.
    const many = this.#readMany(missingSlots, missingAccounts)
    const askedAccounts = accounts.map((key, index) => {
      const value = knownAccounts[index]
      return value === undefined ? settled(this.#askAccount(key, many)) : value
    })
    const askedSlots = this.#askSlots(missingSlots, many).values()
    const allSlots = knownSlots.map((value) => value ?? askedSlots.next().value)
    const values = {
      accounts: await Promise.all(askedAccounts),
      // There is one asked slot for each that is not known.
      slots: (await Promise.all(allSlots)).filter((value) => value !== undefined),
    }
    finds.forEach((find, index) => {
      void find.then((found) => {
        const judged = this.#traces.judged(found, { accounts, slots }, values)
        this.#keep(judged)
        scouts[index]?.found(judged)
      })
    })
    return values
  }

  async blockHash(number: bigint): Promise<Uint8Array> {
    const known = this.#cache.blockHash(number)
    if (known !== undefined) {
      this.#cached++
      return fromHex(known)
    }
    const what = `the hash of block ${number}`
    const hash = (await this.#keptHash(number)) ?? (await this.#hashByNumber(number, what))
    this.#cache.keepBlockHash(number, hash)
    return fromHex(hash)
  }

  /** Asks what a call is going to read, once. */
  async #find({ call, changes }: ScoutRun): Promise<ScoutFinds> {
    if (this.#scout === undefined || this.#scouted.has(call)) return NOTHING_FOUND
    this.#scouted.add(call)
    const address = { parameter: this.#address(this.#form), isGuarded: this.#form === 'number' }
    return await this.#scout.find(call, changes(), address)
  }

  /** Keeps the values of a trace that is believed. */
  #keep({ keys, values }: ScoutFinds): void {
    keys.accounts.forEach((key, index) => {
      const value = values?.accounts[index]
      if (value !== undefined && !(value instanceof UpstreamError)) {
        this.#cache.keepAccount(key, value)
      }
    })
    keys.slots.forEach((key, index) => {
      const value = values?.slots[index]
      if (value !== undefined && !(value instanceof UpstreamError)) this.#cache.keepSlot(key, value)
    })
  }

  async #askAccount(
    key: AddressKey,
    many: Promise<ReadValues> | undefined,
  ): Promise<RemoteAccount | null> {
    const address = addressHex(key)
    const account =
      this.#capabilities.accountInfo === false
        ? await this.#accountByParts(
            address,
            many?.then(({ balances }) => balances.get(key)),
          )
        : await this.#accountInfo(address)
    const { nonce, balance, code } = account
    const value = nonce === 0n && balance === 0n && code.length === 0 ? null : account
    this.#cache.keepAccount(key, value)
    this.#traces.remember(key, value)
    return value
  }

  async #accountInfo(address: Hex): Promise<RemoteAccount> {
    const what = `account ${address}`
    try {
      const account = await this.#ask('eth_getAccountInfo', [address], readAccountInfo, what)
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
    const balance = async () => {
      const known = read && (await read)
      return known === undefined ? this.#balance(address, readQuantity) : bytesToBigInt(known)
    }
    const [wei, nonce, code] = await Promise.all([
      balance(),
      this.#ask('eth_getTransactionCount', [address], readNonce, `the nonce of ${address}`),
      this.#ask('eth_getCode', [address], readCode, `the code of ${address}`),
    ])
    return { balance: wei, nonce, code }
  }

  #balance<Value>(address: Hex, read: (result: unknown) => Value): Promise<Value> {
    return this.#ask('eth_getBalance', [address], read, `the balance of ${address}`)
  }

  /** What one call reads, in the place of single requests; `undefined` if there is none. */
  #readMany(
    slots: readonly RemoteSlot[],
    accounts: readonly AddressKey[],
  ): Promise<ReadValues> | undefined {
    if (!this.#isFormProved) return undefined
    // Elsewhere, one answer has all of an account.
    return this.#reader?.read(slots, this.#capabilities.accountInfo === false ? accounts : [])
  }

  #askSlots(
    slots: readonly RemoteSlot[],
    many: Promise<ReadValues> | undefined,
  ): Promise<Uint8Array | UpstreamError>[] {
    const read = async (slot: RemoteSlot) => {
      const known = (await many)?.slots.get(slot)
      if (known === undefined) return await this.#askSlot(slot)
      this.#cache.keepSlot(slot, known)
      return known
    }
    return slots.map((slot) => settled(read(slot)))
  }

  /** `undefined` if the upstream does not answer such a call, or not now. */
  async #call({ transaction, overrides, read }: ReadCall): Promise<Uint8Array[] | undefined> {
    try {
      const values = await this.#clientFor('slots').ask({
        method: 'eth_call',
        params: [transaction, this.#address(this.#form), overrides],
        read,
        onFailure: () => 'tell',
        isGuarded: this.#form === 'number',
        attempts: 1,
      })
      if (values === undefined) this.#capabilities.overrides = false
      return values
    } catch (error) {
      // Each value is asked for on its own then, and its error is told.
      if (error instanceof FailureAnswer) this.#capabilities.overrides ??= false
      else if (!(error instanceof NoAnswer)) throw error
      return undefined
    }
  }

  async #askSlot(key: RemoteSlot): Promise<Uint8Array> {
    const [address, slot] = [addressHex(key[0]), slotHex(key[1])]
    const what = `slot ${slot} of ${address}`
    const value = await this.#ask('eth_getStorageAt', [address, slot], readSlot, what)
    this.#cache.keepSlot(key, value)
    this.#traces.remember(key[0] + key[1], value)
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
    return value.length === 0 ? undefined : `0x${toHex(value).slice(2).padStart(64, '0')}`
  }

  async #codeIs(key: AddressKey, code: Hex): Promise<boolean> {
    const [account] = (await this.load({ accounts: [key], slots: [] })).accounts
    if (account instanceof UpstreamError) throw account
    return account !== null && account !== undefined && toHex(account.code) === code
  }

  #hashByNumber(number: bigint, what: string): Promise<Hex> {
    const client = this.#clientFor(what)
    const asked = client.ask({
      method: 'eth_getBlockByNumber',
      params: [quantity(number), false],
      read: readBlockHash,
      onFailure: (failure) => this.#choose(failure),
      isGuarded: true,
    })
    return asked.catch(async (error: unknown) => {
      throw await this.#explained(error, what)
    })
  }

  /** Asks for a value of the state, in the best form of address that the upstream takes. */
  async #ask<Value>(
    method: string,
    params: readonly unknown[],
    read: (result: unknown) => Value,
    what: string,
  ): Promise<Value> {
    const client = this.#clientFor(what)
    for (;;) {
      const form = this.#form
      try {
        const value = await client.ask({
          method,
          params: [...params, this.#address(form)],
          read,
          onFailure: (failure) => this.#choose(failure),
          isGuarded: form === 'number',
        })
        this.#learn(form)
        return value
      } catch (error) {
        if (!this.#triesNextForm(form, error)) throw await this.#explained(error, what)
      }
    }
  }

  /** The block parameter: EIP-1898 without `requireCanonical`, which RSKj refuses. */
  #address(form: AddressForm): unknown {
    const { hash, number } = this.#block
    if (form === 'hashObject') return { blockHash: hash }
    return form === 'hash' ? hash : quantity(number)
  }

  #learn(form: AddressForm): void {
    if (this.#isFormProved || form !== this.#form) return
    this.#isFormProved = true
    this.#capabilities.addressForm = form
  }

  /** Whether another form may help, which is then the form of all reads. */
  #triesNextForm(form: AddressForm, error: unknown): boolean {
    if (!(error instanceof FailureAnswer) || isUnknownMethod(error.failure)) return false
    // Another read has moved on, or has found the right one.
    if (form !== this.#form) return true
    if (this.#isFormProved) return false
    const next = this.#otherForms.shift()
    if (next === undefined) return false
    this.#form = next
    return true
  }

  #choose(failure: RpcFailure): FailureChoice {
    if (isUnknownMethod(failure)) return 'tell'
    if (isStateGone(failure)) return { attempts: STATE_ATTEMPTS }
    if (!this.#isFormProved || WRONG_REQUEST.includes(failure.code)) return 'tell'
    return { attempts: ERROR_ATTEMPTS }
  }

  #clientFor(what: string): BatchClient {
    if (this.#client !== undefined) return this.#client
    throw new UpstreamError(
      `the cache does not hold ${what} at block ${this.#block.number}, and nobody may be asked offline: run once without offline mode`,
      { transient: false },
    )
  }

  /** The error for the users of a value. */
  async #explained(error: unknown, what: string): Promise<unknown> {
    const start = `upstream did not give ${what} at block ${this.#block.number}`
    if (error instanceof NoAnswer) {
      return new UpstreamError(`${start}: ${error.message}`, { transient: error.transient })
    }
    if (!(error instanceof FailureAnswer)) return error
    const { failure, attempts } = error
    const message = shorten(error.message, LONGEST_MESSAGE)
    if (isUnknownMethod(failure)) return new UnknownMethodError(`${start}: ${message}`)
    if (isStateGone(failure)) {
      const why = await this.#whyGone()
      const text = `${start}: ${why} (${message})`
      return why === GONE ? new StateGoneError(text) : new UpstreamError(text, { transient: false })
    }
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    return new UpstreamError(`${start}: ${message}, ${tries}`, {
      transient: !WRONG_REQUEST.includes(failure.code),
    })
  }

  /** Whether the chain, the block or only its state is gone. Reads that fail together ask once. */
  #whyGone(): Promise<string> {
    this.#reason ??= this.#findReason().finally(() => {
      this.#reason = undefined
    })
    return this.#reason
  }

  async #findReason(): Promise<string> {
    const client = this.#clientFor('the block')
    try {
      const [chainId, hash] = await Promise.all([
        client.ask({
          method: 'eth_chainId',
          params: [],
          read: readQuantity,
          onFailure: () => 'tell',
        }),
        client.ask({
          method: 'eth_getBlockByNumber',
          params: [quantity(this.#block.number), false],
          read: (result) => (result === null ? undefined : readBlockHash(result)),
          onFailure: () => 'tell',
        }),
      ])
      if (chainId !== this.#chainId) {
        return `it is chain ${chainId} now, and no longer ${this.#chainId}: set another URL with anvil_setRpcUrl, or reset`
      }
      if (hash === undefined) return 'it does not have the block any more: reset to another block'
      if (hash !== this.#block.hash) {
        return 'it has replaced the block by another: reset to a block that it has'
      }
    } catch (error) {
      // The state is gone all the same; the error behind this one says no more.
      if (!(error instanceof NoAnswer || error instanceof FailureAnswer)) throw error
    }
    return GONE
  }
}

const NOTHING_FOUND: ScoutFinds = { keys: { accounts: [], slots: [] }, values: undefined }

/** Characters of the upstream's own words in a message. */
const LONGEST_MESSAGE = 300

const GONE =
  'it does not have the state of this block any more: reset to a newer block, or use an archive node'

/** The upstream has the block, but not its state any more. */
export class StateGoneError extends UpstreamError {
  override name = 'StateGoneError'
  constructor(message: string) {
    super(message, { transient: false })
  }
}

/** The upstream does not have a method. */
class UnknownMethodError extends UpstreamError {
  override name = 'UnknownMethodError'
  constructor(message: string) {
    super(message, { transient: false })
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
