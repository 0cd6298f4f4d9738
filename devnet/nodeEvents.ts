import type { Chain, TickReport } from './chain/chain.ts'
import type { ConsoleCalls } from './engine/consoleCalls.ts'
import type { Execution } from './engine/types.ts'
import { consoleMessages } from './execution/consoleLog.ts'
import { failureMessage } from './execution/failureMessage.ts'
import { summarize } from './json/formatStatus.ts'
import { toHex } from './primitives/hex.ts'
import { Listeners } from './primitives/listeners.ts'
import type { ExecutedTransaction } from './protocol/receipt.ts'
import type { Observer } from './rpc/context.ts'
import type { RequestWatch } from './rpc/jsonRpc.ts'
import type { ConsoleLogEvent, DevnetEvents, RequestEvent, TickTransaction } from './types.ts'

/**
 * Measures requests for those who watch.
 *
 * @param isWatched - asked for each request: without anybody, that is all the work
 */
export function createRequestWatch(
  isWatched: () => boolean,
  report: (event: RequestEvent) => void,
): RequestWatch {
  return (message) => {
    if (!isWatched()) return undefined
    const start = performance.now()
    return (error) => {
      const { method, params } = partsOf(message)
      report({
        method: typeof method === 'string' ? method : null,
        params,
        elapsed: performance.now() - start,
        error:
          error === undefined
            ? null
            : { code: error.code, message: error.message, data: error.data },
      })
    }
  }
}

/** What a message asks for, whatever it is. */
function partsOf(message: unknown): { readonly method?: unknown; readonly params?: unknown } {
  return typeof message === 'object' && message !== null ? message : {}
}

/** Where a `console.log` came from. */
type ConsoleSource = Pick<ConsoleLogEvent, 'transaction' | 'method' | 'to' | 'data'>

/** The events of a node. What nobody listens to costs nothing. */
export class NodeEvents {
  readonly #listeners: { readonly [Name in keyof DevnetEvents]: Listeners<[DevnetEvents[Name]]> }
  #chain: Chain | undefined

  /** @param onInternalError - hears of errors in those who listen */
  constructor(onInternalError: (error: unknown) => void) {
    this.#listeners = {
      import: new Listeners(onInternalError),
      load: new Listeners(onInternalError),
      save: new Listeners(onInternalError),
      tick: new Listeners(onInternalError),
      seal: new Listeners(onInternalError),
      consoleLog: new Listeners(onInternalError),
      request: new Listeners(onInternalError),
      logging: new Listeners(onInternalError),
    }
    this.watch = createRequestWatch(
      () => this.#listeners.request.size > 0,
      (event) => this.#listeners.request.emit(event),
    )
  }

  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void {
    return this.#listeners[name].add(listener)
  }

  emit<Name extends keyof DevnetEvents>(name: Name, event: DevnetEvents[Name]): void {
    this.#listeners[name].emit(event)
  }

  /** For the requests over HTTP and WebSocket. */
  readonly watch: RequestWatch

  readonly observer: Observer = {
    printed: (method, { to = null, data = '0x' }, calls) => {
      this.#print(calls, { transaction: null, method, to, data })
    },
    setLogging: (enabled) => this.emit('logging', { enabled }),
  }

  /** Makes events of what the chain reports. */
  forward(chain: Chain): void {
    this.#chain = chain
    chain.onTick((report) => this.#ticked(report))
    chain.onSeal(({ header, number, hash, executed }, elapsed) => {
      if (this.#listeners.seal.size === 0) return
      this.emit('seal', {
        number,
        hash,
        timestamp: Number(header.timestamp),
        transactions: executed.length,
        gasUsed: Number(header.gasUsed),
        baseFeePerGas: header.baseFeePerGas ?? 0n,
        elapsed,
      })
    })
  }

  #ticked({ view, executed, executions, elapsed }: TickReport): void {
    for (const [index, { transaction }] of executed.entries()) {
      const printed = executions[index]?.printed
      if (printed === undefined) continue
      const { hash, tx } = transaction
      const to = tx.to === undefined ? null : toHex(tx.to.bytes)
      this.#print(printed, { transaction: hash, method: null, to, data: toHex(tx.data) })
    }
    if (this.#listeners.tick.size === 0) return
    this.emit('tick', {
      block: Number(view.environment.number),
      tick: view.ticks - 1,
      transactions: executed.map((one, index) => tickTransaction(one, executions[index])),
      elapsed,
    })
  }

  #print(calls: ConsoleCalls | undefined, source: ConsoleSource): void {
    if (calls === undefined || this.#chain === undefined) return
    if (this.#listeners.consoleLog.size === 0) return
    const messages = consoleMessages(calls, this.#chain.engine.crypto.keccak256)
    // Calls of functions that console.sol does not have are no prints.
    if (messages.length === 0 && calls.omitted === 0) return
    this.emit('consoleLog', { ...source, messages, omitted: calls.omitted })
  }
}

function tickTransaction(
  executed: ExecutedTransaction,
  execution: Execution | undefined,
): TickTransaction {
  const { transaction, contractAddress } = executed
  const failed = execution?.failure === undefined ? undefined : execution
  return {
    ...summarize(executed),
    value: transaction.value,
    gasLimit: Number(transaction.gasLimit),
    data: toHex(transaction.tx.data),
    contractAddress: contractAddress === undefined ? null : toHex(contractAddress),
    error:
      failed === undefined
        ? null
        : {
            message: failureMessage(failed),
            data: toHex(failed.returnData),
          },
  }
}
