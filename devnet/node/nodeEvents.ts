import type { Chain } from '../chain/chain.ts'
import type { TickReport } from '../chain/chainEvents.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { Execution } from '../engine/types.ts'
import { consoleMessages } from '../execution/consoleLog.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { summarize } from '../json/formatStatus.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import { Listeners } from '../primitives/listeners.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { RequestWatch } from '../rpc/jsonRpc.ts'
import type { ConsoleLogEvent, DevnetEvents, TickEvent, TickTransaction } from '../types.ts'

type ConsoleSource = Pick<ConsoleLogEvent, 'transaction' | 'method' | 'to' | 'data'>

/** The events of a node. An event without listeners costs almost nothing. */
export class NodeEvents {
  readonly #listeners: { readonly [Name in keyof DevnetEvents]: Listeners<[DevnetEvents[Name]]> } =
    {
      fork: new Listeners(reportInternalError),
      import: new Listeners(reportInternalError),
      load: new Listeners(reportInternalError),
      save: new Listeners(reportInternalError),
      tick: new Listeners(reportInternalError),
      seal: new Listeners(reportInternalError),
      drop: new Listeners(reportInternalError),
      undo: new Listeners(reportInternalError),
      fault: new Listeners(reportInternalError),
      hint: new Listeners(reportInternalError),
      walletRequest: new Listeners(reportInternalError),
      consoleLog: new Listeners(reportInternalError),
      coverage: new Listeners(reportInternalError),
      request: new Listeners(reportInternalError),
      logging: new Listeners(reportInternalError),
    }

  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void {
    const names = Object.keys(this.#listeners)
    if (!names.includes(name) || typeof listener !== 'function') {
      throw new InvalidParamsError(`on: want one of ${names.join(', ')}, and a function`)
    }
    return this.#listeners[name].add(listener)
  }

  emit<Name extends keyof DevnetEvents>(name: Name, event: DevnetEvents[Name]): void {
    this.#listeners[name].emit(event)
  }

  /** Emits the `request` event for requests over HTTP and WebSocket. */
  readonly watch: RequestWatch = (message) => {
    if (this.#listeners.request.size === 0) return undefined
    const start = performance.now()
    return (error) => {
      const { method, params }: { readonly method?: unknown; readonly params?: unknown } =
        typeof message === 'object' && message !== null ? message : {}
      this.emit('request', {
        method: typeof method === 'string' ? method : null,
        params,
        elapsed: performance.now() - start,
        // A plain copy, because `error` may be an instance of Error.
        error:
          error === undefined
            ? null
            : { code: error.code, message: error.message, data: error.data },
      })
    }
  }

  /** Emits this chain's events; returns the observer that its RPC methods report to. */
  observe(chain: Chain): RpcContext['observer'] {
    const { keccak256 } = chain.engine.crypto
    const print = (calls: ConsoleCalls | undefined, source: ConsoleSource): void => {
      if (calls === undefined || this.#listeners.consoleLog.size === 0) return
      const messages = consoleMessages(calls, keccak256)
      // Calls of functions that console.sol does not define print nothing.
      if (messages.length === 0 && calls.omitted === 0) return
      this.emit('consoleLog', { ...source, messages, omitted: calls.omitted })
    }
    chain.events.ticked.add((report) => {
      for (const [index, { transaction }] of report.executed.entries()) {
        const printed = report.executions[index]?.printed
        if (printed === undefined) continue
        const { hash, to, data } = transaction
        const callee = to === undefined ? null : toHex(to)
        print(printed, { transaction: hash, method: null, to: callee, data: toHex(data) })
      }
      if (this.#listeners.tick.size > 0) this.emit('tick', tickEvent(report))
    })
    chain.events.sealed.add(({ header, number, hash, executed }, elapsed) => {
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
    chain.events.dropped.add((dropped) => this.emit('drop', { ...dropped }))
    chain.events.undone.add((undo) => this.emit('undo', { ...undo, latest: chain.head.number }))
    return {
      printed: (method, { to = null, data = '0x' }, calls) =>
        print(calls, { transaction: null, method, to, data }),
      setLogging: (enabled) => this.emit('logging', { enabled }),
    }
  }
}

function tickEvent({ view, executed, executions, elapsed, isAtSeal }: TickReport): TickEvent {
  return {
    block: Number(view.environment.number),
    tick: view.ticks - 1,
    transactions: executed.map((one, index) => tickTransaction(one, executions[index])),
    elapsed,
    ...(isAtSeal ? { isAtSeal } : {}),
  }
}

function tickTransaction(
  executed: ExecutedTransaction,
  execution: Execution | undefined,
): TickTransaction {
  const { transaction, contractAddress } = executed
  return {
    ...summarize(executed),
    value: transaction.value,
    gasLimit: Number(transaction.gasLimit),
    data: toHex(transaction.data),
    contractAddress: contractAddress === undefined ? null : toHex(contractAddress),
    error:
      execution?.failure === undefined
        ? null
        : { message: failureMessage(execution), data: toHex(execution.returnData) },
  }
}
