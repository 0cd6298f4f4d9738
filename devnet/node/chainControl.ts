import { advance } from '../clock/advance.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { FaultScript } from '../faults/types.ts'
import { formatStatus } from '../json/formatStatus.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { ProcessHold } from '../primitives/processHold.ts'
import { flag, objectOf, optional, readWith } from '../primitives/reader.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { InProcessProvider } from '../rpc/inProcessProvider.ts'
import type { ClockControl, DevnetEvents, Status } from '../types.ts'
import { NodeEvents } from './nodeEvents.ts'
import { checkedScript } from './nodeFaults.ts'

const FREEZING = optional(objectOf({ fields: { ticks: optional(flag()) }, isStrict: true }))
const freezing = (options: unknown) =>
  readWith(FREEZING, options, ({ message }) => new InvalidParamsError(`freeze: ${message}`))

/** A chain that answers: that of a node, or a branch. */
export interface LiveChain {
  readonly context: RpcContext
  readonly dispatch: Dispatch
  /** Cancels the requests of the in-process provider. */
  readonly abort: AbortController
}

/** Asks and commands a chain in process until it stops: the part that nodes and branches share. */
export abstract class ChainControl {
  /** Keeps the process alive while requests and commands are under way. */
  protected readonly hold = new ProcessHold()
  protected readonly events = new NodeEvents()
  protected stopping: Promise<void> | undefined
  readonly provider = new InProcessProvider(
    () => {
      const { dispatch, abort } = this.parts
      return { dispatch, signal: abort.signal }
    },
    this.hold,
    reportInternalError,
  )

  /** The chain and what belongs to it. @throws {Error} unless it runs */
  abstract get parts(): LiveChain

  /** Stops the chain; called once. */
  protected abstract end(): Promise<void>

  get chainId(): number {
    return this.parts.context.chain.engine.chainId
  }

  readonly clock: ClockControl = {
    freeze: (options) => this.#command((clocks) => clocks.freeze(freezing(options))),
    resume: () => this.#command((clocks) => clocks.resume()),
    advance: (by) => this.#command((clocks) => advance(clocks, by)),
    seal: () => this.#command((clocks) => clocks.seal()),
    status: () => this.#command(() => undefined),
  }

  readonly faults = (script?: FaultScript): Promise<Status> =>
    this.#command(async (_clocks, { faults }) => {
      if (script !== undefined) await faults.apply(await checkedScript(script))
    })

  async #command(run: (clocks: Clocks, context: RpcContext) => unknown): Promise<Status> {
    const { context } = this.parts
    return await this.hold.during(async () => {
      await run(context.clocks, context)
      await this.provider.delivered()
      return formatStatus(context)
    })
  }

  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void {
    return this.events.on(name, listener)
  }

  stop(): Promise<void> {
    this.stopping ??= this.hold.during(() => this.end())
    return this.stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
