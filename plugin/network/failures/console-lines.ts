import type { ConsoleLogEvent, Hex } from '../../../devnet/index.ts'
import { encodeRlpString, isObject, printableLines, toHex } from '../../../devnet/pluginApi.ts'
import { codeBytes } from '../../artifacts/artifact.ts'
import { EXPLAINED_METHODS, SEND_METHODS } from './failure-kinds.ts'

/** The part of a JSON-RPC request by which its lines are recognized. */
interface Request {
  readonly method: string
  readonly params?: unknown
}

/**
 * Prints what `console.log` in the contracts of a connection prints, as Hardhat's own network does:
 * the bare text, on the console of the process. What a request has caused is held until its answer
 * is known.
 */
export class ConsoleLines {
  readonly #held = new Map<HeldLines, Request>()

  /** Output of transactions, by hash; `undefined` if it is not kept. */
  #kept: Map<Hex, ConsoleLogEvent> | undefined

  readonly print = (event: ConsoleLogEvent): void => {
    if (event.transaction !== null && this.#kept !== undefined) {
      this.#kept.set(event.transaction, event)
      return
    }
    for (const [lines, request] of this.#held) {
      if (causes(request, event)) {
        lines.add(event)
        return
      }
    }
    printEvent(event)
  }

  /** From now on, the output of a transaction is kept for {@link takeKept}. */
  keepTransactions(): void {
    this.#kept = new Map()
  }

  /** The output of a transaction; `undefined` if there is none. */
  takeKept(hash: Hex): HeldLines | undefined {
    const event = this.#kept?.get(hash)
    this.#kept?.delete(hash)
    if (event === undefined) return undefined
    const lines = new HeldLines()
    lines.add(event)
    return lines
  }

  /**
   * Holds the output of a request that may fail, until `release`. It is found by what was called
   * and not by the asynchronous context, because requests may go through a socket. Equal requests
   * at the same time print equal lines, so it does not matter which of them holds which.
   */
  hold(request: Request): HeldLines {
    // The replay prints the lines of a failure that it explains.
    if (!EXPLAINED_METHODS.has(request.method)) return NOTHING
    const lines: HeldLines = new HeldLines(() => this.#held.delete(lines))
    this.#held.set(lines, request)
    return lines
  }
}

/** The `console.log` output that one request has caused so far. */
export class HeldLines {
  readonly #end: () => void
  #events: ConsoleLogEvent[] = []

  constructor(end: () => void = () => undefined) {
    this.#end = end
  }

  add(event: ConsoleLogEvent): void {
    this.#events.push(event)
  }

  /** Forgets the output, because a replay of the request has printed it. */
  discard(): void {
    this.#events = []
  }

  /** Prints the output, unless it was discarded; from now on nothing is held. */
  release(): void {
    this.#end()
    for (const event of this.#events) printEvent(event)
    this.#events = []
  }
}

/** Holds no lines: it has nothing to print or drop. */
const NOTHING = new HeldLines()

function causes(request: Request, { transaction, method, to, data }: ConsoleLogEvent): boolean {
  const isSend = SEND_METHODS.has(request.method)
  if (transaction === null ? method !== request.method : !isSend) return false
  const call: unknown = Array.isArray(request.params) ? request.params[0] : undefined
  if (typeof call === 'string') return signs(call.toLowerCase(), to, data)
  return (
    isObject(call) && isSame(call.to ?? null, to) && isSame(call.data ?? call.input ?? '0x', data)
  )
}

/** Bytes of an amount of wei, each number of which has a head of its own in RLP. */
const LENGTHS = Array.from({ length: 32 }, (_, index) => index + 1)

/** An amount of wei in RLP. */
const VALUE = `(?:[0-7].|80|${LENGTHS.map((length) => `${(0x80 + length).toString(16)}.{${2 * length}}`).join('|')})`

/** Digits that an address and an amount take in RLP at most. */
const MAX_HEAD = 2 * (21 + 33)

/** True if a signed transaction has this recipient and data, which all types encode alike. */
function signs(raw: string, to: string | null, data: string): boolean {
  const head = new RegExp(`${rlp(to ?? '0x')}${VALUE}$`)
  const wanted = rlp(data)
  for (let at = raw.indexOf(wanted); at >= 0; at = raw.indexOf(wanted, at + 1)) {
    if (at % 2 === 0 && head.test(raw.slice(Math.max(0, at - MAX_HEAD), at))) return true
  }
  return false
}

function rlp(hex: string): string {
  return toHex(encodeRlpString(codeBytes(hex))).slice(2)
}

function isSame(given: unknown, hex: string | null): boolean {
  return typeof given === 'string' ? given.toLowerCase() === hex : hex === null
}

function printEvent({ messages, omitted }: ConsoleLogEvent): void {
  for (const message of messages) console.log(printableLines(message).join('\n'))
  if (omitted > 0) console.log(`… and ${omitted} more console.log`)
}
