import type { Scheduler } from '../engine/scheduler.ts'
import { type AbiEntry, readAbi } from '../primitives/abi.ts'
import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { readableNumber } from '../primitives/longNumber.ts'
import { getOrCreate } from '../primitives/memo.ts'
import { short } from '../primitives/visible.ts'
import type { RawLog } from '../protocol/receipt.ts'
import {
  abiOf,
  askContracts,
  type CallNames,
  creationNames,
  entriesOf,
  type FoundContracts,
  findEntry,
  nameOf,
} from '../rpc/naming/contractNames.ts'
import {
  argumentsText,
  callName,
  decodeArguments,
  decodeCall,
  errorText,
  type FindEntries,
} from '../rpc/naming/decodeCall.ts'
import { decodeEvent, findEvent, type ShownLog } from '../rpc/naming/decodeEvent.ts'
import { STANDARD_ABI } from '../rpc/naming/standardAbi.ts'
import type { DecodedArgument, DecodedCall } from '../rpc/naming/types.ts'
import type { Bytes, CallText, Event, Failure } from './apiTypes/callTypes.ts'
import type { Names } from './apiTypes/valueTypes.ts'
import type { Dashboard } from './dashboard.ts'
import { withAmount, withResult } from './tokens/tokenAmounts.ts'

/** Most bytes that are shown of data. */
const SHOWN_BYTES = 1024

/** Longest call in one line, in characters. */
const MAX_CALL = 200

/** Most addresses that one answer names. */
const MOST_NAMES = 1000

/** Most functions or errors with the same selector that are tried. */
const MOST_NAMESAKES = 8

/** Errors of Solidity itself, inside of those of contracts. */
const STANDARD_REASONS = readAbi([
  { type: 'error', name: 'Error', inputs: [{ type: 'string', name: '' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256', name: '' }] },
])

const ADDRESS = /^0x[0-9a-f]{40}$/

/** Decodes what one answer shows, and names the addresses in it. */
export class Naming {
  readonly #dashboard: Dashboard
  readonly #scheduler: Scheduler
  readonly #names = new Map<Hex, string | undefined>()
  #allEvents: readonly AbiEntry[] | undefined
  /** Functions and errors of any contract, by kind and selector. */
  #allEntries: ReadonlyMap<string, readonly AbiEntry[]> | undefined

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
      name: nameAt(all),
      abi: abiOf(contracts),
    }
  }

  /** A call or, without `to`, a creation in words. */
  async call(to: Hex | null, data: Hex): Promise<CallText & { readonly names: CallNames }> {
    const names = await this.callNames(to, data)
    const find = await this.#finderFor(names.entry, names.abi, 'function')
    const call = decodeCall(asItIs, names, 1, find)
    const decoded = call === undefined ? null : await this.#withAmount(to, call)
    if (decoded?.arguments) await this.#nameArguments(decoded.arguments)
    await this.pause()
    if (decoded === null) {
      const selector = data.length >= 10 && to !== null ? `.${data.slice(0, 10)}` : ''
      const known = names.contract !== null && to !== null && data !== '0x'
      return { text: known ? `${names.contract}${selector}` : null, decoded, names }
    }
    return { text: this.#text(callName(decoded), decoded.arguments), decoded, names }
  }

  /** The function or contract that is called or, without `to`, created. */
  async callNames(to: Hex | null, data: Hex): Promise<CallNames> {
    const { naming } = this.#dashboard
    if (to === null) {
      return creationNames(data, await askContracts(naming, (source) => source.createdBy(data)))
    }
    const all = await this.#dashboard.contracts.at(to)
    const fitting = all.find(
      ({ found }) => findEntry(naming, abiOf(found), 'function', data) !== undefined,
    )
    const one: FoundContracts = fitting ?? all[0] ?? { found: [], behind: undefined }
    const { found, behind, isDelegated = false } = one
    const abi = abiOf(found)
    const own = findEntry(naming, abi, 'function', data)
    const hasCode = this.#dashboard.contracts.hasCode(to)
    return {
      contract: nameOf(found),
      isProxied: behind !== undefined,
      isDelegated,
      entry: own ?? (hasCode ? findEntry(naming, STANDARD_ABI, 'function', data) : undefined),
      isStandard: own === undefined,
      data: `0x${data.slice(10)}`,
      abi,
    }
  }

  async #withAmount(to: Hex | null, call: DecodedCall): Promise<DecodedCall> {
    const { function: signature, arguments: list } = call
    if (to === null || signature === null || list === null) return call
    return { ...call, arguments: await this.#amountIn(to, signature, list) }
  }

  #amountIn(token: Hex, signature: string, list: readonly DecodedArgument[]) {
    return withAmount(this.#dashboard.tokens, token, signature, list)
  }

  /** A call, an event or an error in one line. */
  #text(name: string, list: readonly DecodedArgument[] | null): string {
    return shorten(`${name}(${list === null ? '…' : this.line(list)})`, MAX_CALL)
  }

  /** Values in one line, with names in place of addresses. */
  line(list: readonly DecodedArgument[]): string {
    return argumentsText(list, (text) => {
      if (!ADDRESS.test(text)) return shorten(readableNumber(text), MAX_CALL)
      // The pattern guarantees the type.
      return this.#names.get(text as Hex) ?? `${text.slice(0, 6)}…${text.slice(-4)}`
    })
  }

  async #nameArguments(list: readonly DecodedArgument[]): Promise<void> {
    for (const { type, value, holds } of list) {
      if (holds !== undefined) await this.#nameArguments(holds.arguments)
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
    const given = entry === undefined ? null : decodeEvent(asItIs, entry, log)
    const list = given && entry ? await this.#amountIn(emitter, entry.signature, given) : null
    if (list !== null) await this.#nameArguments(list)
    await this.pause()
    const text = entry === undefined || list === null ? null : this.#text(entry.name, list)
    return {
      index,
      text,
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
    const entry = isStandard ? undefined : (known ?? (await this.#ofAny('error', output))[0])
    const find = await this.#finderFor(entry, abi, 'error')
    const list =
      entry === undefined
        ? null
        : decodeArguments(asItIs, entry.inputs, `0x${output.slice(10)}`, { find })
    if (list !== null) await this.#nameArguments(list)
    return {
      message: shorten(message, SHOWN_BYTES),
      error: entry === undefined ? null : errorText(asItIs, entry, output, list),
      arguments: list,
      data: shownHex(output),
    }
  }

  /** The functions or errors of all contracts with the selector that `data` begins with. */
  async #ofAny(kind: string, data: Hex): Promise<readonly AbiEntry[]> {
    return (await this.#everyEntry()).get(kind + data.slice(0, 10)) ?? []
  }

  /** Finds what `bytes` inside of an entry's arguments hold; `undefined` if it has none. */
  async #finderFor(
    outer: AbiEntry | undefined,
    abi: readonly AbiEntry[],
    kind: 'function' | 'error',
  ): Promise<FindEntries | undefined> {
    if (outer === undefined || !/bytes(?!\d)/.test(outer.signature)) return undefined
    const { naming } = this.#dashboard
    const all = await this.#everyEntry()
    return (data) => {
      if (data.length < 10) return []
      const known = [abi, STANDARD_REASONS, STANDARD_ABI].map((one) =>
        findEntry(naming, one, kind, data),
      )
      const others = all.get(kind + data.slice(0, 10)) ?? []
      return [...known.filter((entry) => entry !== undefined), ...others].slice(0, MOST_NAMESAKES)
    }
  }

  async #everyEntry(): Promise<ReadonlyMap<string, readonly AbiEntry[]>> {
    if (this.#allEntries !== undefined) return this.#allEntries
    const { naming } = this.#dashboard
    const entries = new Map<string, AbiEntry[]>()
    for (const { abi } of await askContracts(naming, (source) => source.all())) {
      for (const entry of entriesOf(abi)) {
        if (entry.kind !== 'function' && entry.kind !== 'error') continue
        getOrCreate(entries, entry.kind + naming.selectorOf(entry), () => []).push(entry)
      }
      await this.pause()
    }
    this.#allEntries = entries
    return entries
  }

  /** Result of a call at an address; `null` if it is unknown or does not fit. */
  async returned({ entry, isStandard }: CallNames, output: Hex, at: Hex | null) {
    const isUnknown = isStandard || entry === undefined || (entry.outputs ?? []).length === 0
    return isUnknown || output === '0x' ? null : this.outputs(entry, output, at)
  }

  /** The values that a function returned; `null` if they do not fit. */
  async outputs({ signature, outputs = [] }: AbiEntry, output: Hex, at: Hex | null) {
    const list = decodeArguments(asItIs, outputs, output)
    if (list === null || at === null) return list
    await this.#nameArguments(list)
    return withResult(this.#dashboard.tokens, at, signature, list)
  }
}

/** The name of a contract; of one that runs the code of another, `Proxy → Counter`. */
function nameAt(all: readonly FoundContracts[]): string | null {
  const [first, own] = all
  if (first === undefined) return null
  const name = nameOf(first.found)
  if (first.behind === undefined) return name
  const outer = nameOf(own?.found ?? [])
  if (name === null && outer === null) return null
  return `${outer ?? (first.isDelegated ? 'Account' : 'Proxy')} → ${name ?? short(first.behind)}`
}

const asItIs = (address: Hex): string => address

/** The beginning of some bytes. */
export function shownBytes(bytes: Uint8Array): Bytes {
  return { shown: toHex(bytes.subarray(0, SHOWN_BYTES)), size: bytes.length }
}

export function shownHex(hex: Hex): Bytes {
  return { shown: `0x${hex.slice(2, 2 + 2 * SHOWN_BYTES)}`, size: hex.length / 2 - 1 }
}
