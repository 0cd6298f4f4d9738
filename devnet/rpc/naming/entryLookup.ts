import { type AbiEntry, readAbi } from '../../primitives/abi.ts'
import { shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { TurnTime } from '../../primitives/turnTime.ts'
import { askContracts, entriesOf, findEntry, type NamingSource } from './contractNames.ts'
import { type Describe, decodeArguments, errorText, type FindEntries } from './decodeCall.ts'
import { STANDARD_ABI } from './standardAbi.ts'

/** Most functions or errors with the same selector that are tried. */
const MOST_NAMESAKES = 8

/** Characters that are shown of the data of an unknown error. */
const MAX_DATA = 200

/** Errors of Solidity itself: messages decode them, except inside of errors of contracts. */
const STANDARD_REASONS = readAbi([
  { type: 'error', name: 'Error', inputs: [{ type: 'string', name: '' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256', name: '' }] },
])

/**
 * Finds errors, functions and events in the ABIs of all contracts of a source, as they are at its
 * first look: a contract passes on errors and calls of others.
 */
export class EntryLookup {
  readonly #source: NamingSource
  readonly #time: Pick<TurnTime, 'yieldIfDue'>
  #all: Promise<readonly ReadonlyMap<string, readonly AbiEntry[]>[]> | undefined

  /** @param time - for the ABIs, of which a project may have thousands */
  constructor(source: NamingSource, time: Pick<TurnTime, 'yieldIfDue'> = new TurnTime()) {
    this.#source = source
    this.#time = time
  }

  /** The entries of all contracts with the selector or topic that `data` begins with. */
  async ofAny(kind: string, data: Hex): Promise<readonly AbiEntry[]> {
    return (await this.#finder(kind))(data)
  }

  /**
   * Decodes the custom error that a call has failed with, and what its `bytes` hold.
   *
   * @param abi - of the contract called; the error may be of any other
   * @param describe - of addresses. Default: as they are
   * @returns `undefined` without data, and for Solidity's own, which the message says
   */
  async error(data: Hex, abi: readonly AbiEntry[], describe: Describe = (address) => address) {
    const find = (known: readonly AbiEntry[]) => findEntry(this.#source, known, 'error', data)
    if (data === '0x' || find(STANDARD_REASONS) !== undefined) return undefined
    const entry = find(abi) ?? find(STANDARD_ABI) ?? (await this.ofAny('error', data))[0]
    if (entry === undefined) {
      // In the words of Hardhat's own network.
      const text = `unrecognized custom error (return data: ${shorten(data, MAX_DATA)})`
      return { signature: null, arguments: null, text }
    }
    const list = decodeArguments(describe, entry.inputs, `0x${data.slice(10)}`, {
      find: await this.inside(entry, abi),
    })
    return {
      /** Canonical, e.g. `TooMuch(uint256,uint256)`; `null` if no contract has it. */
      signature: entry.signature,
      /** `null` if the data does not fit. */
      arguments: list,
      /** In one line, e.g. `TooMuch(wanted: 5, left: 0)`. */
      text: errorText(entry, list),
    }
  }

  /** Finds what `bytes` among the arguments of an entry hold; `undefined` if it has none. */
  async inside(
    { kind, signature }: AbiEntry,
    abi: readonly AbiEntry[],
  ): Promise<FindEntries | undefined> {
    if (!/bytes(?!\d)/.test(signature)) return undefined
    const findOthers = await this.#finder(kind)
    return (data) => {
      if (data.length < 10) return []
      const known = [abi, STANDARD_REASONS, STANDARD_ABI].map((one) =>
        findEntry(this.#source, one, kind, data),
      )
      const found = [...known.filter((entry) => entry !== undefined), ...findOthers(data)]
      return found.slice(0, MOST_NAMESAKES)
    }
  }

  async #finder(kind: string): Promise<FindEntries> {
    this.#all ??= this.#read()
    const all = await this.#all
    return (data) => {
      const key = kind + data.slice(0, 10).toLowerCase()
      return all.flatMap((entries) => entries.get(key) ?? [])
    }
  }

  async #read() {
    const all: ReadonlyMap<string, readonly AbiEntry[]>[] = []
    for (const { abi } of await askContracts(this.#source, (contracts) => contracts.all())) {
      all.push(this.#source.bySelector(entriesOf(abi)))
      await this.#time.yieldIfDue()
    }
    return all
  }
}

type DecodedError = Awaited<ReturnType<EntryLookup['error']>>

/** The message of a failure with its custom error, e.g. `execution reverted: No(by: 5)`. */
export function failureText(message: string, error: DecodedError): string {
  // The node's own message may decode an error that no contract here declares.
  const isSaid = error?.signature === null && message !== 'execution reverted'
  return error === undefined || isSaid ? message : `${message}: ${error.text}`
}
