import { advance } from '../clock/advance.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { FaultScript } from '../faults/types.ts'
import { formatStatus } from '../json/formatStatus.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { ProcessHold } from '../primitives/processHold.ts'
import { flag, objectOf, optional, readWith } from '../primitives/reader.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { InProcessProvider } from '../rpc/inProcessProvider.ts'
import type { ClockControl, Status } from '../types.ts'
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

/** The part of a devnet that asks and commands its chain, in process. */
export class ChainControl {
  readonly #live: () => LiveChain
  readonly #hold: ProcessHold
  readonly provider: InProcessProvider

  /**
   * @param live - returns the chain; throws if it is not running
   * @param hold - keeps the process alive while requests and commands are under way
   */
  constructor(live: () => LiveChain, hold: ProcessHold) {
    this.#live = live
    this.#hold = hold
    this.provider = new InProcessProvider(
      () => {
        const { dispatch, abort } = live()
        return { dispatch, signal: abort.signal }
      },
      hold,
      reportInternalError,
    )
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
    const { context } = this.#live()
    return await this.#hold.during(async () => {
      await run(context.clocks, context)
      await this.provider.delivered()
      return formatStatus(context)
    })
  }
}
