import type {
  ConsoleLogEvent,
  Devnet,
  Hex,
  Options,
  RequestEvent,
  SealEvent,
  TickEvent,
} from '../../devnet/index.ts'
import { optionTable } from '../../devnet/options/optionTable.ts'
import {
  failureMessage,
  printableJson,
  shortened,
  shownParameters,
} from '../../devnet/pluginApi.ts'
import type { FindNames, NameTexts } from '../artifacts/contract-names.ts'
import { cut } from './lines.ts'
import { callOf, type Entry, errorData, type LogFormat, MAX_LENGTH } from './node-log.ts'

/** The log for scripts: one JSON object per line. */
export class JsonLog implements LogFormat {
  readonly #findNames: FindNames
  readonly #verbose: boolean

  constructor(parameters: { findNames: FindNames; verbose: boolean }) {
    this.#findNames = parameters.findNames
    this.#verbose = parameters.verbose
  }

  plain(name: string, event: object): Entry {
    return { lines: [jsonLine(name, event)] }
  }

  seal(event: SealEvent): Entry {
    return this.plain('seal', event)
  }

  async tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry> {
    const lines: string[] = []
    for (const one of printed.values()) lines.push(...(await this.consoleLog(one)).lines)
    const transactions: object[] = []
    for (const { data, error, ...transaction } of event.transactions) {
      const names = await this.#findNames({ to: transaction.to, data }, error?.data)
      transactions.push({
        ...transaction,
        ...named(names),
        error: error && shortError(error, names),
      })
    }
    return { lines: [...lines, jsonLine('tick', { ...event, transactions })] }
  }

  async consoleLog({ data, messages, ...event }: ConsoleLogEvent): Promise<Entry> {
    const names = await this.#findNames({ to: event.to, data })
    const texts = messages.map((message) => cut(message, MAX_LENGTH.print))
    return { lines: [jsonLine('consoleLog', { ...event, ...named(names), messages: texts })] }
  }

  async request(event: RequestEvent): Promise<Entry> {
    const { method, elapsed, error } = event
    const call = callOf(event)
    const names = call && (await this.#findNames(call, errorData(event)))
    const fields = {
      method: method && cut(method, MAX_LENGTH.method),
      ...(this.#verbose ? { params: shownParameters(event) } : {}),
      ...named(names),
      elapsed,
      error: error && shortError({ ...error, message: failureMessage(event) }, names),
    }
    return { lines: [jsonLine('request', fields)] }
  }
}

/** One event as one line of JSON, safe for a terminal; amounts in wei are decimal strings. */
export function jsonLine(event: string, fields: object): string {
  const json = JSON.stringify({ event, ...fields }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return printableJson(json)
}

/** The line printed in place of lines that were not read in time. */
export function omittedJson(lines: number): string {
  return jsonLine('omitted', { lines })
}

/** Fields of the `ready` event. Private keys only if well known; with `quiet`, no token. */
export function readyFields(devnet: Devnet): object {
  const { url, flashblocksUrl, chainId, accounts, options } = devnet
  const { tickInterval, sealInterval, frozen, frozenTicks, profile } = options
  return {
    url,
    flashblocks: flashblocksUrl,
    chainId,
    accounts: accounts.map(({ address, privateKey }) =>
      hasPublicKeys(options) ? { address, privateKey } : { address },
    ),
    clocks: { tickInterval, sealInterval, frozen, frozenTicks },
    ...(profile === 'plain' ? {} : { profile }),
    wallet: options.wallet === false ? null : walletFields(devnet),
    dashboard: options.noDashboard
      ? null
      : options.quiet
        ? { url: `${url}/dashboard/` }
        : { pageUrl: devnet.dashboard.pageUrl },
  }
}

function walletFields({ options, wallet: { url, pageUrl } }: Devnet): object {
  return options.quiet ? { url } : { url, pageUrl }
}

/** True if the accounts come from the default mnemonic, so that their keys are well known. */
export function hasPublicKeys({ mnemonic }: Options): boolean {
  return mnemonic === optionTable.mnemonic.default
}

/** Maximum number of characters of an error's data that are shown. */
const MAX_DATA = 4096

/** An error with its name; message and data are cut, because a contract can return megabytes. */
function shortError(
  error: { readonly message: string; readonly data?: unknown },
  names: NameTexts | undefined,
): object {
  const { message, data } = error
  return {
    ...error,
    message: cut(message, MAX_LENGTH.message),
    data: typeof data === 'string' ? cut(data, MAX_DATA) : shortened(data),
    name: names?.error,
  }
}

function named(names: NameTexts | undefined): object {
  return { contract: names?.contract ?? null, function: names?.function ?? null }
}
