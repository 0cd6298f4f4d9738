import type { Scheduler } from '../engine/scheduler.ts'
import type { AbiEntry } from '../primitives/abi.ts'
import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { readableNumber } from '../primitives/longNumber.ts'
import type { RawLog } from '../protocol/receipt.ts'
import {
  abiOf,
  askContracts,
  type CallNames,
  creationNames,
  entriesOf,
  findEntry,
  findErrorOfAny,
  nameOf,
} from '../rpc/naming/contractNames.ts'
import {
  argumentsText,
  callName,
  decodeArguments,
  decodeCall,
  errorText,
} from '../rpc/naming/decodeCall.ts'
import { decodeEvent, findEvent, type ShownLog } from '../rpc/naming/decodeEvent.ts'
import { STANDARD_ABI } from '../rpc/naming/standardAbi.ts'
import type { DecodedArgument } from '../rpc/naming/types.ts'
import type { Bytes, CallText, Event, Failure } from './apiTypes/callTypes.ts'
import type { Names } from './apiTypes/valueTypes.ts'
import type { Dashboard } from './dashboard.ts'

/** Most bytes that are shown of data. */
const SHOWN_BYTES = 1024

/** Longest call in one line, in characters. */
const MAX_CALL = 200

/** Most addresses that one answer names. */
const MOST_NAMES = 1000

const ADDRESS = /^0x[0-9a-f]{40}$/

/** Decodes what one answer shows, and names the addresses in it. */
export class Naming {
  readonly #dashboard: Dashboard
  readonly #scheduler: Scheduler
  readonly #names = new Map<Hex, string | undefined>()
  #allEvents: readonly AbiEntry[] | undefined
  /** Errors of any contract by selector: calls that fail pass the same one on. */
  readonly #errors = new Map<string, AbiEntry | undefined>()

  /** @param scheduler - has begun; what it throws ends the work */
  constructor(dashboard: Dashboard, scheduler: Scheduler) {
    this.#dashboard = dashboard
    this.#scheduler = scheduler
  }

  /** The names of all addresses that were asked for so far. */
  get names(): Names {
    const named = [...this.#names].filter(([, name]) => name !== undefined)
    // Those without a name were left out.
    return Object.fromEntries(named) as Names
  }

  /** The name of an address, e.g. `Account #0` or `Counter`; `undefined` if it has none. */
  async name(address: Hex): Promise<string | undefined> {
    if (this.#names.has(address)) return this.#names.get(address)
    if (this.#names.size >= MOST_NAMES) return undefined
    const account = this.#dashboard.accountNames.get(address)
    const name = account ?? (await this.contractAt(address)).name ?? undefined
    this.#names.set(address, name)
    await this.pause()
    return name
  }

  async nameAll(addresses: Iterable<Hex | null>): Promise<void> {
    for (const address of addresses) if (address !== null) await this.name(address)
  }

  /** Lets ticks and requests run if this has taken a while. */
  async pause(): Promise<void> {
    const pause = this.#scheduler.yieldIfDue()
    if (pause !== undefined) await pause
  }

  async contractAt(address: Hex): Promise<{ name: string | null; abi: readonly AbiEntry[] }> {
    const all = await this.#dashboard.contracts.at(address)
    const contracts = all.flatMap(({ found }) => found)
    return {
      name: nameOf(all.find(({ found }) => found.length > 0)?.found ?? []),
      abi: abiOf(contracts),
    }
  }

  /** A call or, without `to`, a creation in words. */
  async call(to: Hex | null, data: Hex): Promise<CallText & { readonly names: CallNames }> {
    const names = await this.#callNames(to, data)
    const decoded = decodeCall(asItIs, names, 1) ?? null
    if (decoded?.arguments) await this.#nameArguments(decoded.arguments)
    await this.pause()
    if (decoded === null) {
      const selector = data.length >= 10 && to !== null ? `.${data.slice(0, 10)}` : ''
      const known = names.contract !== null && to !== null && data !== '0x'
      return { text: known ? `${names.contract}${selector}` : null, decoded, names }
    }
    const list = decoded.arguments === null ? '…' : this.#line(decoded.arguments)
    return { text: shorten(`${callName(decoded)}(${list})`, MAX_CALL), decoded, names }
  }

  async #callNames(to: Hex | null, data: Hex): Promise<CallNames> {
    const { naming } = this.#dashboard
    if (to === null) {
      return creationNames(data, await askContracts(naming, (source) => source.createdBy(data)))
    }
    const all = await this.#dashboard.contracts.at(to)
    const fitting = all.find(
      ({ found }) => findEntry(naming, abiOf(found), 'function', data) !== undefined,
    )
    const { found, behind } = fitting ?? all[0] ?? { found: [], behind: undefined }
    const abi = abiOf(found)
    const own = findEntry(naming, abi, 'function', data)
    const hasCode = this.#dashboard.contracts.hasCode(to)
    return {
      contract: nameOf(found),
      isProxied: behind !== undefined,
      entry: own ?? (hasCode ? findEntry(naming, STANDARD_ABI, 'function', data) : undefined),
      isStandard: own === undefined,
      data: `0x${data.slice(10)}`,
      abi,
    }
  }

  #line(list: readonly DecodedArgument[]): string {
    return argumentsText(list, (text) => {
      if (!ADDRESS.test(text)) return shorten(readableNumber(text), MAX_CALL)
      // The pattern guarantees the type.
      return this.#names.get(text as Hex) ?? `${text.slice(0, 6)}…${text.slice(-4)}`
    })
  }

  async #nameArguments(list: readonly DecodedArgument[]): Promise<void> {
    for (const { type, value } of list) {
      if (typeof value === 'object') await this.#nameArguments(value)
      // The decoder's form of an address.
      else if (type === 'address') await this.name(value as Hex)
    }
  }

  /** @param index - in the block */
  async event([address, topics, data]: RawLog, index: number): Promise<Event> {
    const emitter = toHex(address)
    const log: ShownLog = { topics: topics.map(toHex), data: toHex(data) }
    const { name, abi } = await this.contractAt(emitter)
    await this.name(emitter)
    const { topicOf } = this.#dashboard
    const entry =
      findEvent(abi, log, topicOf) ??
      findEvent(STANDARD_ABI, log, topicOf) ??
      findEvent(await this.#everyEvent(), log, topicOf)
    const list = entry === undefined ? null : decodeEvent(asItIs, entry, log)
    if (list !== null) await this.#nameArguments(list)
    await this.pause()
    return {
      index,
      address: emitter,
      contract: name,
      event: entry === undefined ? null : shorten(entry.signature, MAX_CALL),
      arguments: list,
      problem: entry !== undefined && list === null ? 'The data does not fit the event.' : null,
      topics: log.topics,
      data: shownBytes(data),
    }
  }

  /** Events of all contracts: one may emit those of a library. */
  async #everyEvent(): Promise<readonly AbiEntry[]> {
    if (this.#allEvents !== undefined) return this.#allEvents
    const events: AbiEntry[] = []
    for (const { abi } of await askContracts(this.#dashboard.naming, (source) => source.all())) {
      events.push(...entriesOf(abi).filter(({ kind }) => kind === 'event'))
      await this.pause()
    }
    this.#allEvents = events
    return events
  }

  /** @param abi - of the contract that failed */
  async failure(message: string, output: Hex, abi: readonly AbiEntry[]): Promise<Failure> {
    const { naming } = this.#dashboard
    // The message says what a standard error does.
    const isStandard = /^0x(?:08c379a0|4e487b71)/.test(output)
    const known =
      findEntry(naming, abi, 'error', output) ?? findEntry(naming, STANDARD_ABI, 'error', output)
    const entry = isStandard ? undefined : (known ?? (await this.#errorOfAny(output)))
    const list =
      entry === undefined ? null : decodeArguments(asItIs, entry.inputs, `0x${output.slice(10)}`)
    if (list !== null) await this.#nameArguments(list)
    return {
      message: shorten(message, SHOWN_BYTES),
      error: entry === undefined ? null : errorText(asItIs, entry, output),
      arguments: list,
      data: shownHex(output),
    }
  }

  async #errorOfAny(output: Hex): Promise<AbiEntry | undefined> {
    const selector = output.slice(0, 10)
    if (!this.#errors.has(selector)) {
      this.#errors.set(selector, await findErrorOfAny(this.#dashboard.naming, output))
    }
    return this.#errors.get(selector)
  }

  /** Result of a call; `null` if it is unknown or does not fit. */
  async returned({ entry, isStandard }: CallNames, output: Hex) {
    const isUnknown = isStandard || entry === undefined || (entry.outputs ?? []).length === 0
    return isUnknown || output === '0x' ? null : this.outputs(entry, output)
  }

  /** The values that a function returned; `null` if they do not fit. */
  async outputs({ outputs = [] }: AbiEntry, output: Hex) {
    const list = decodeArguments(asItIs, outputs, output)
    if (list !== null) await this.#nameArguments(list)
    return list
  }
}

const asItIs = (address: Hex): string => address

/** The beginning of some bytes. */
export function shownBytes(bytes: Uint8Array): Bytes {
  return { shown: toHex(bytes.subarray(0, SHOWN_BYTES)), size: bytes.length }
}

export function shownHex(hex: Hex): Bytes {
  return { shown: `0x${hex.slice(2, 2 + 2 * SHOWN_BYTES)}`, size: hex.length / 2 - 1 }
}
