import { constants } from 'node:os'
import type { Devnet, ImportEvent, LoadEvent } from '../devnet/types.ts'
import { createContractNames } from './artifacts/contract-names.ts'
import {
  accountsLines,
  bindingLines,
  clocksLines,
  readyLine,
  walletLines,
} from './output/banner.ts'
import { JsonLog, jsonLine, omittedJson, readyFields } from './output/json-log.ts'
import { LineWriter } from './output/line-writer.ts'
import { importLine, loadLine, omittedLine, type Paint, painter, saveLine } from './output/lines.ts'
import { NodeLog } from './output/node-log.ts'
import { TextLog } from './output/text-log.ts'

/** The part of `process` that {@link runNode} uses. */
export interface Host {
  readonly stdout: NodeJS.WritableStream
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** SIGHUP is left alone, so that `nohup` works. */
const endSignals = ['SIGINT', 'SIGTERM'] as const

/** ms after a signal at which the process ends even if something still holds it. */
const patience = 900

/** The same where a state is saved, which takes as long as the state is large; a second signal ends it sooner. */
const savingPatience = 600_000

/**
 * Starts `devnet`, prints what it does, and stops it at the first SIGINT or SIGTERM; a second one ends the
 * process at once.
 *
 * @param artifacts - folder of the project's artifacts, by which contracts get their names
 * @param program - how the user starts this program, for messages; default: `npx hardhat pending-node`
 * @returns 128 + the signal's number, as shells give for `hardhat node`, which the signal itself ends: a caller can
 * tell that the node was stopped, and a script that was interrupted stops too
 * @throws {ListenError} when the port is taken
 * @throws {ChainFileError} when a file to start from does not do, or the state cannot be saved
 */
export async function runNode(
  devnet: Devnet,
  host: Host,
  inContainer: boolean,
  artifacts: string,
  program?: string,
): Promise<number> {
  const { stdout } = host
  const { json, quiet, state, dumpState } = devnet.options
  const writer = new LineWriter(stdout, json ? omittedJson : omittedLine)
  const starts = new Starts(devnet)
  await devnet.start()
  // Before the first line: whoever waits for that may send a signal at once.
  const signalled = firstSignal(host)
  writer.print(...bannerLines(devnet, starts.lines(json), painter(stdout), inContainer, program))
  writer.flush()
  const log = devnet.options.quiet ? undefined : openLog(devnet, writer, stdout, artifacts)
  const { signal, release } = await signalled
  const code = 128 + constants.signals[signal]
  const saves = state !== undefined || dumpState !== undefined
  setTimeout(() => host.exit(code), saves ? savingPatience : patience).unref()
  await log?.close()
  if (!quiet) {
    devnet.on('save', (event) => writer.print(json ? jsonLine('save', event) : saveLine(event)))
  }
  try {
    await devnet.stop()
  } finally {
    release()
  }
  writer.flush()
  return code
}

/** What the node goes on from, as it said so while it started. */
class Starts {
  readonly #imports: ImportEvent[] = []
  readonly #loads: LoadEvent[] = []
  readonly #ends: readonly (() => void)[]

  constructor(devnet: Devnet) {
    this.#ends = [
      devnet.on('import', (event) => this.#imports.push(event)),
      devnet.on('load', (event) => this.#loads.push(event)),
    ]
  }

  /** Stops listening; answers what was heard. */
  lines(json: boolean): string[] {
    for (const end of this.#ends) end()
    return [
      ...this.#imports.map((event) => (json ? jsonLine('import', event) : importLine(event))),
      ...this.#loads.map((event) => (json ? jsonLine('load', event) : loadLine(event))),
    ]
  }
}

/** What is printed when the node answers; the first line says so. */
function bannerLines(
  devnet: Devnet,
  starts: readonly string[],
  paint: Paint,
  inContainer: boolean,
  program?: string,
): string[] {
  const { options, url } = devnet
  const ready = options.json ? jsonLine('ready', readyFields(devnet)) : readyLine(url, paint)
  if (options.quiet) return [ready]
  if (options.json) return [ready, ...starts]
  return [
    ready,
    ...starts,
    ...clocksLines(options, url, program),
    ...walletLines(devnet),
    '',
    ...bindingLines(options.hostname, inContainer, paint),
    ...accountsLines(devnet, paint),
  ]
}

/** Prints what happens on the node from now on. */
function openLog(
  devnet: Devnet,
  writer: LineWriter,
  stdout: NodeJS.WritableStream,
  artifacts: string,
): NodeLog {
  const { json, verbose } = devnet.options
  const paint = painter(stdout)
  return new NodeLog({
    devnet,
    writer,
    verbose,
    findNames: createContractNames(devnet.provider, artifacts),
    format: (findNames) =>
      json ? new JsonLog({ findNames, verbose }) : new TextLog({ paint, findNames, verbose }),
    columns: () => columnsOf(stdout),
  })
}

/** Width of the terminal that `stream` is; `undefined` for anything else. */
function columnsOf(stream: NodeJS.WritableStream): number | undefined {
  return 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : undefined
}

/** Waits for a signal; until `release` is called the next one ends the process. */
function firstSignal(host: Host): Promise<{ signal: NodeJS.Signals; release: () => void }> {
  return new Promise((resolve) => {
    let signalled = false
    const listener = (signal: NodeJS.Signals) => {
      if (signalled) host.exit(128 + constants.signals[signal])
      signalled = true
      resolve({ signal, release })
    }
    const release = () => {
      for (const signal of endSignals) host.off(signal, listener)
    }
    for (const signal of endSignals) host.on(signal, listener)
  })
}
