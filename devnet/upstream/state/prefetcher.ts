import { EMPTY_BYTES, padTo32 } from '../../primitives/bytes.ts'
import { plainText } from '../../primitives/errors.ts'
import { type Hex, isBytes, quantity, toHex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { addressHex, addressKeyFromHex, slotHex, slotKeyFromHex } from '../../state/keys.ts'
import type { PrefetchChanges } from '../../state/remote/prefetchChanges.ts'
import {
  type PrefetchedCall,
  type RemoteKeys,
  type RemoteSlot,
  UpstreamError,
} from '../../state/remote/remoteSource.ts'
import type { AddressKey, StorageDiff } from '../../state/types.ts'
import { isUnknownMethod, WRONG_REQUEST } from '../client/answers.ts'
import type { BatchClient } from '../client/batchClient.ts'
import type { Address, Capabilities } from '../client/capabilities.ts'
import { FailureAnswer, NoAnswer } from '../client/question.ts'

/** Characters of the own changes that go along with a prefetch. */
const LARGEST_OVERRIDES = 128 * 1024

export const NOTHING: RemoteKeys = { accounts: [], slots: [] }

/** ms that a prefetch may hold up the reads in its batch: some requests that it spares. */
const LONGEST_BESIDE = 500

/** A prefetch that runs beside reads may take this many times as long as the fastest request. */
const MOST_TIMES = 5

/** ms without prefetches after one that got no answer although it was alone. */
const PAUSE = 60_000

/**
 * Asks the upstream what a call is going to read, in one request for an access list. A prefetch
 * that fails tells nothing.
 *
 * It goes out in the batch of the first misses, which an upstream answers as a whole. After one
 * that got no answer, or took far longer than reads do, prefetches go alone and one at a time.
 */
export class Prefetcher {
  readonly #client: BatchClient
  readonly #capabilities: Capabilities
  #isAlone = false
  #inFlight = 0
  /** Before this time nobody is asked. */
  #pausedUntil = -Infinity

  constructor(client: BatchClient, capabilities: Capabilities) {
    this.#client = client
    this.#capabilities = capabilities
  }

  async find(call: PrefetchedCall, changes: PrefetchChanges, block: Address): Promise<RemoteKeys> {
    if (this.#capabilities.accessList === false) return NOTHING
    const isBusy = this.#isAlone && this.#inFlight > 0
    if (isBusy || this.#client.time.now() < this.#pausedUntil) return NOTHING
    try {
      return await this.#accessList(call, stateOverrides(call, changes), block)
    } catch (error) {
      // A failed prefetch only costs time: missing values are read on demand. An UpstreamError
      // means that the node is stopping.
      if (!(error instanceof NoAnswer || error instanceof UpstreamError)) throw error
      return NOTHING
    }
  }

  async #accessList(
    call: PrefetchedCall,
    own: Readonly<Record<Hex, object>>,
    block: Address,
  ): Promise<RemoteKeys> {
    const sendsOwn = Object.keys(own).length > 0 && this.#capabilities.accessListOverrides !== false
    // The sender may have its funds only on this chain: without them it could not pay upstream.
    const params = [callJson(sendsOwn ? call : { ...call, value: 0n }), block.parameter]
    try {
      const finds = await this.#ask(sendsOwn ? [...params, own] : params, block)
      this.#capabilities.accessList = true
      if (sendsOwn) this.#capabilities.accessListOverrides = true
      return finds
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (isUnknownMethod(error.failure)) this.#capabilities.accessList = false
      else if (sendsOwn && this.#capabilities.accessListOverrides === undefined) {
        this.#capabilities.accessListOverrides = false
        return this.#accessList(call, own, block)
      }
      return NOTHING
    }
  }

  async #ask(params: readonly unknown[], { isGuarded }: Address): Promise<RemoteKeys> {
    const isAlone = this.#isAlone
    this.#inFlight++
    try {
      return await this.#client.ask({
        ...{ method: 'eth_createAccessList', params, read: listedKeys, isGuarded, isAlone },
        attempts: 1,
        onTime: (ms, shortest) => {
          this.#isAlone = ms > LONGEST_BESIDE && ms > shortest * MOST_TIMES
        },
      })
    } catch (error) {
      if (error instanceof NoAnswer && !(error instanceof FailureAnswer)) {
        this.#isAlone = true
        if (isAlone) this.#pausedUntil = this.#client.time.now() + PAUSE
      }
      throw error
    } finally {
      this.#inFlight--
    }
  }
}

/** True if the upstream does not have the method, or not in this form. */
function isRefusal(error: unknown): error is FailureAnswer {
  if (!(error instanceof FailureAnswer)) return false
  return isUnknownMethod(error.failure) || WRONG_REQUEST.includes(error.failure.code)
}

/** No fees: the sender's funds may be of this chain only. */
function callJson({ from, to, data, value }: PrefetchedCall) {
  return {
    from: toHex(from),
    ...(to === undefined ? {} : { to: toHex(to) }),
    data: toHex(data),
    ...(value === 0n ? {} : { value: quantity(value) }),
  }
}

/** The own changes as state overrides of `eth_call`; without them if they are too many. */
function stateOverrides(
  call: PrefetchedCall,
  changes: PrefetchChanges,
): Readonly<Record<Hex, object>> {
  const json: Record<Hex, object> = {}
  for (const [key, record] of changes.accounts) {
    const { balance, nonce } = record ?? { balance: 0n, nonce: 0n }
    json[addressHex(key)] = {
      balance: quantity(balance),
      nonce: quantity(nonce),
      code: toHex(record === null ? EMPTY_BYTES : changes.code(record.codeHash)),
    }
  }
  for (const [key, diff] of changes.storage) {
    json[addressHex(key)] = { ...json[addressHex(key)], ...storageJson(diff) }
  }
  const sender = toHex(call.from)
  if (call.value > 0n && json[sender] === undefined)
    json[sender] = { balance: quantity(call.value) }
  return JSON.stringify(json).length > LARGEST_OVERRIDES ? {} : json
}

function storageJson({ slots, cleared }: StorageDiff): object {
  if (slots.size === 0 && !cleared) return {}
  const values = Object.fromEntries(
    [...slots].map(([slot, value]) => [slotHex(slot), toHex(padTo32(value))]),
  )
  return cleared ? { state: values } : { stateDiff: values }
}

/** The keys in the answer to `eth_createAccessList`. */
function listedKeys(result: unknown): RemoteKeys {
  const list = isObject(result) ? result.accessList : undefined
  if (!Array.isArray(list)) throw new Error('answered no access list')
  const accounts: AddressKey[] = []
  const slots: RemoteSlot[] = []
  for (const entry of list) {
    if (!isObject(entry) || !isBytes(entry.address, 20)) throw new Error('answered no access list')
    const key = addressKeyFromHex(entry.address)
    accounts.push(key)
    const { storageKeys } = entry
    if (!Array.isArray(storageKeys)) continue
    for (const slot of storageKeys) slots.push([key, slotKeyFromHex(plainText(slot))])
  }
  return { accounts, slots }
}
