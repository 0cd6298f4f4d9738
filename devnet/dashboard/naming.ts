import type { Scheduler } from '../engine/scheduler.ts'
import type { AbiEntry } from '../primitives/abi.ts'
import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { readableNumber } from '../primitives/longNumber.ts'
import { short } from '../primitives/visible.ts'
import type { RawLog } from '../protocol/receipt.ts'
import {
  abiOf,
  type CallNames,
  calledBy,
  creationNames,
  type FoundContracts,
  nameOf,
  namesOf,
} from '../rpc/naming/contractNames.ts'
import { argumentsText, callName, decodeArguments, decodeCall } from '../rpc/naming/decodeCall.ts'
import { decodeEvent, findEvent, type ShownLog } from '../rpc/naming/decodeEvent.ts'
import { EntryLookup, failureText } from '../rpc/naming/entryLookup.ts'
import { STANDARD_ABI } from '../rpc/naming/standardAbi.ts'
import type { DecodedArgument } from '../rpc/naming/types.ts'
import type { Dashboard } from './dashboard.ts'
import { withAmount, withResult } from './tokens/tokenAmounts.ts'

/** Most bytes that are shown of data. */
const SHOWN_BYTES = 1024

/** Longest call in one line, in characters. */
const MAX_CALL = 200

/** Most addresses that one answer names. */
const MOST_NAMES = 1000

const ADDRESS = /^0x[0-9a-f]{40}$/

/** Names of the addresses in an answer that have one, e.g. `Account #0` or `Counter`. */
export type Names = Readonly<Record<Hex, string>>

export type CallText = Omit<Awaited<ReturnType<Naming['call']>>, 'names'>

export type Event = Awaited<ReturnType<Naming['event']>>

export type Failure = Awaited<ReturnType<Naming['failure']>>

/** Decodes what one answer shows, and names the addresses in it. */
export class Naming {
  readonly #dashboard: Dashboard
  readonly #scheduler: Scheduler
  readonly #names = new Map<Hex, string | undefined>()
  readonly #lookup: EntryLookup

  /** @param scheduler - has begun; what it throws ends the work */
  constructor(dashboard: Dashboard, scheduler: Scheduler) {
    this.#dashboard = dashboard
    this.#scheduler = scheduler
    this.#lookup = new EntryLookup(dashboard.naming, scheduler)
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
    return { name: nameAt(all), abi: abiOf(all.flatMap(({ found }) => found)) }
  }

  /** A call or, without `to`, a creation in words. */
  async call(to: Hex | null, data: Hex) {
    const names = await this.callNames(to, data)
    const find = names.entry && (await this.#lookup.inside(names.entry, names.abi))
    const call = decodeCall(asItIs, names, 1, find)
    const list = await this.#amountIn(to, call?.function ?? '', call?.arguments ?? null)
    if (list !== null) await this.#nameArguments(list)
    await this.pause()
    if (call === undefined) {
      const selector = data.length >= 10 && to !== null ? `.${data.slice(0, 10)}` : ''
      const known = names.contract !== null && to !== null && data !== '0x'
      return { text: known ? `${names.contract}${selector}` : null, decoded: null, names }
    }
    const decoded = { ...call, arguments: list }
    /** In one line; `null` if neither contract nor function is known. */
    const text: string | null = this.#text(callName(call), list)
    return { text, decoded, names }
  }

  /** The function or contract that is called or, without `to`, created. */
  async callNames(to: Hex | null, data: Hex): Promise<CallNames> {
    const { naming } = this.#dashboard
    if (to === null) return creationNames(naming, data)
    const all = await this.#dashboard.contracts.at(to)
    const fitting = all.find(calledBy(naming, data)) ?? all[0]
    const isEmpty = !this.#dashboard.contracts.hasCode(to)
    return namesOf(naming, data, { found: [], behind: undefined, ...fitting, isEmpty })
  }

  async #amountIn(
    token: Hex | null,
    signature: string,
    list: readonly DecodedArgument[] | null,
  ): Promise<readonly DecodedArgument[] | null> {
    if (token === null || list === null) return list
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
      // The decoder gives an address as hex.
      else if (type === 'address') await this.name(value as Hex)
    }
  }

  /** @param index - in the block */
  async event([address, topics, data]: RawLog, index: number) {
    const emitter = toHex(address)
    const log: ShownLog = { topics: topics.map(toHex), data: toHex(data) }
    const { name, abi } = await this.contractAt(emitter)
    await this.name(emitter)
    const find = (known: readonly AbiEntry[]) => findEvent(this.#dashboard.naming, known, log)
    const entry =
      find(abi) ??
      find(STANDARD_ABI) ??
      find(await this.#lookup.ofAny('event', log.topics[0] ?? '0x'))
    const given = entry === undefined ? null : decodeEvent(asItIs, entry, log)
    const list = await this.#amountIn(emitter, entry?.signature ?? '', given)
    if (list !== null) await this.#nameArguments(list)
    await this.pause()
    const text = entry === undefined || list === null ? null : this.#text(entry.name, list)
    return {
      index,
      /** In one line, e.g. `Transfer(from: Account #0, to: Vault, value: 5)`; `null` if unknown. */
      text,
      address: emitter,
      /** `null` if it is unknown. */
      contract: name,
      /** Canonical signature; `null` if it is unknown. */
      event: entry === undefined ? null : shorten(entry.signature, MAX_CALL),
      /** `null` if unknown, or if the data does not fit: `problem` says why. */
      arguments: list,
      problem: entry !== undefined && list === null ? 'The data does not fit the event.' : null,
      topics: log.topics,
      data: shownBytes(data),
    }
  }

  /** Reason why a call failed. @param abi - of the contract that failed */
  async failure(message: string, output: Hex, abi: readonly AbiEntry[]) {
    const error = await this.#lookup.error(output, abi)
    const list = error?.arguments ?? null
    if (list !== null) await this.#nameArguments(list)
    return {
      /** In the node's words, e.g. `execution reverted: not enough` or `out of gas`. */
      message: shorten(message, SHOWN_BYTES),
      /** Custom error with its arguments, e.g. `TooMuch(wanted: 5, left: 0)`; `null` if unknown. */
      error: error === undefined || error.signature === null ? null : error.text,
      arguments: list,
      data: shownHex(output),
    }
  }

  /** The same in one line. */
  async failureText(message: string, output: Hex, abi: readonly AbiEntry[]): Promise<string> {
    return failureText(message, await this.#lookup.error(output, abi))
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

export type Bytes = ReturnType<typeof shownBytes>

/** The beginning of some bytes, and the size of all. */
export function shownBytes(bytes: Uint8Array) {
  return { shown: toHex(bytes.subarray(0, SHOWN_BYTES)), size: bytes.length }
}

export function shownHex(hex: Hex): Bytes {
  return { shown: `0x${hex.slice(2, 2 + 2 * SHOWN_BYTES)}`, size: hex.length / 2 - 1 }
}
