import { constants } from 'node:os'
import type { Devnet, ImportEvent } from '../devnet/types.ts'
import { accountsLines, bindingLines, clocksLines, readyLine } from './output/banner.ts'
import { jsonLine, readyFields } from './output/json.ts'
import { importLine, sealLine, tickLine } from './output/lines.ts'
import { painter } from './output/paint.ts'

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

/**
 * Starts `devnet`, prints what it does, and stops it at the first SIGINT or SIGTERM; a second one ends the
 * process at once.
 *
 * @returns 128 + the signal's number, as shells give for `hardhat node`, which the signal itself ends: a caller can
 * tell that the node was stopped, and a script that was interrupted stops too
 * @throws {ListenError} when the port is taken
 */
export async function runNode(devnet: Devnet, host: Host, inContainer: boolean): Promise<number> {
  const { stdout } = host
  // A reader that goes away ends the printing and not the node, as with `hardhat node`: `… | grep -m1 Started`.
  let readable = true
  stdout.on('error', () => {
    readable = false
  })
  const print = (...lines: readonly string[]) => {
    if (readable) for (const line of lines) stdout.write(`${line}\n`)
  }
  const imports: ImportEvent[] = []
  const heard = devnet.on('import', (event) => imports.push(event))
  await devnet.start()
  heard()
  const unsubscribe = announce(devnet, imports, print, stdout, inContainer)
  const { signal, release } = await firstSignal(host)
  const code = 128 + constants.signals[signal]
  setTimeout(() => host.exit(code), patience).unref()
  for (const end of unsubscribe) end()
  await devnet.stop()
  release()
  return code
}

/** Prints the banner and from then on the events; answers the functions that end that. */
function announce(
  devnet: Devnet,
  imports: readonly ImportEvent[],
  print: (...lines: readonly string[]) => void,
  stdout: NodeJS.WritableStream,
  inContainer: boolean,
): (() => void)[] {
  const { options, url } = devnet
  const paint = painter(stdout)
  if (options.json) print(jsonLine('ready', readyFields(devnet)))
  else print(readyLine(url, paint))
  if (options.quiet) return []
  if (options.json) {
    print(...imports.map((event) => jsonLine('import', event)))
    return [
      devnet.on('tick', (event) => print(jsonLine('tick', event))),
      devnet.on('seal', (event) => print(jsonLine('seal', event))),
    ]
  }
  print(
    ...imports.map(importLine),
    ...clocksLines(options, url),
    '',
    ...bindingLines(options.hostname, inContainer, paint),
    ...accountsLines(devnet, paint),
  )
  return [
    devnet.on('tick', (event) => print(tickLine(event, paint))),
    devnet.on('seal', (event) => print(sealLine(event, paint))),
  ]
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
