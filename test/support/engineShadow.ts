import { isDeepStrictEqual } from 'node:util'
import { Executor } from '../../devnet/engine/executor.ts'
import { FastMachine } from '../../devnet/engine/fast/fastMachine.ts'
import { whyLibrary } from '../../devnet/engine/fast/route.ts'
import type { Machine } from '../../devnet/engine/machine.ts'
import { ExecutionAbortedError, HeavyExecutionError } from '../../devnet/engine/scheduler.ts'
import type { CallExecution, Execution } from '../../devnet/engine/types.ts'
import { toHex } from '../../devnet/primitives/hex.ts'
import type { BlockContext } from '../../devnet/protocol/blockContext.ts'
import type { TransactionFields } from '../../devnet/protocol/transaction.ts'
import { Codes } from '../../devnet/state/codes.ts'
import type { Overlay } from '../../devnet/state/overlay/overlay.ts'
import type { StateReader } from '../../devnet/state/types.ts'
import { executionOutcome, isRefusal, judged } from './executionOutcome.ts'
import { stateChanges } from './stateChanges.ts'

type SystemResult = Pick<Execution, 'returnData' | 'failure'>
type Result = Execution | CallExecution | SystemResult

type Input =
  | {
      readonly fields: TransactionFields
      readonly block: BlockContext
      readonly options: object | undefined
    }
  | { readonly to: Uint8Array; readonly block: BlockContext; readonly data: Uint8Array | undefined }

/** One execution, on any executor and machine. */
type Execute<Got> = (executor: Executor, machine: Machine) => Promise<Got>

/** The library as the judge of what the fast engine executes. */
export class EngineShadow {
  /** Executions that were compared. */
  compared = 0
  readonly differences: string[] = []
  readonly #judges = new WeakMap<Executor, Executor>()
  /** Fast engines whose execution is going to be judged. */
  readonly #followed = new WeakSet<FastMachine>()

  /**
   * From now on, whatever the fast engine executes in this process is executed by the library as
   * well, on the same state; the fast engine's result is the one that counts.
   */
  static install(): EngineShadow {
    const shadow = new EngineShadow()
    const { run, call, systemCall } = Executor.prototype
    Executor.prototype.run = function (machine, fields, block, options) {
      return shadow.#follow(this, machine, { fields, block, options }, async (executor, own) =>
        run.call(executor, own, fields, block, options),
      )
    }
    Executor.prototype.call = function (machine, fields, block, options) {
      return shadow.#follow(this, machine, { fields, block, options }, async (executor, own) =>
        call.call(executor, own, fields, block, options),
      )
    }
    Executor.prototype.systemCall = function (machine, to, block, data) {
      return shadow.#follow(this, machine, { to, block, data }, (executor, own) =>
        systemCall.call(executor, own, to, block, data),
      )
    }
    const fast = FastMachine.prototype
    fast.run = shadow.#watched(fast.run)
    fast.call = shadow.#watched(fast.call)
    fast.systemCall = shadow.#watched(fast.systemCall)
    return shadow
  }

  /** Tells of an execution that came another way than through {@link #follow}. */
  #watched<Parameters extends unknown[], Got>(
    execute: (this: FastMachine, ...parameters: Parameters) => Got,
  ) {
    const followed = this.#followed
    const { differences } = this
    return function (this: FastMachine, ...parameters: Parameters): Got {
      if (!followed.has(this)) differences.push('The fast engine has executed without its judge.')
      return execute.apply(this, parameters)
    }
  }

  async #follow<Got extends Result>(
    executor: Executor,
    machine: Machine,
    input: Input,
    execute: Execute<Got>,
  ): Promise<Got> {
    const { fast, overlay, blockHashes } = machine
    const gasLimit = 'fields' in input ? input.fields.gasLimit : 0
    if (fast === undefined || whyLibrary(machine, gasLimit) !== undefined) {
      return execute(executor, machine)
    }
    const { presentedAsEoa } = overlay
    const before = overlay.shallowCopy()
    this.#followed.add(fast)
    const ended = await settled(execute(executor, machine))
    this.#followed.delete(fast)
    if (ended.error instanceof ExecutionAbortedError) throw ended.error
    if (ended.error instanceof HeavyExecutionError) throw ended.error
    const got = outcome(ended, overlay, before)

    const judge = this.#judgeOf(executor)
    const own = await judge.acquire(before, blockHashes)
    if (presentedAsEoa !== undefined) own.overlay.presentAsEoaOnce(presentedAsEoa)
    const { evm } = await own.library()
    const { result, isMistaken } = await judged(evm, () => settled(execute(judge, own)))
    const expected = outcome(result, own.overlay, before)
    if (result.error === undefined) judge.release(own)
    if (!isMistaken) this.#compare(got, expected, { hardfork: executor.rules.hardfork, ...input })

    if (ended.result === undefined) throw ended.error
    return ended.result
  }

  #judgeOf(executor: Executor): Executor {
    let judge = this.#judges.get(executor)
    if (judge === undefined) {
      const { rules, crypto } = executor
      const codes = new Codes(crypto.keccak256)
      judge = new Executor({ rules, crypto, codes, engine: 'library' })
      this.#judges.set(executor, judge)
    }
    return judge
  }

  #compare(got: object, expected: object, input: object): void {
    this.compared++
    if (isDeepStrictEqual(got, expected)) return
    this.differences.push(
      ['The engines differ:', ...partings(got, expected), shown(input)].join('\n'),
    )
  }
}

type Ended<Got> = { readonly result?: Got; readonly error?: unknown }

async function settled<Got>(execution: Promise<Got>): Promise<Ended<Got>> {
  try {
    return { result: await execution }
  } catch (error) {
    return { error }
  }
}

/** What both engines must agree in. */
function outcome({ result, error }: Ended<Result>, overlay: Overlay, before: StateReader): object {
  if (result === undefined) return { refused: isRefusal(error) ? true : String(error) }
  return { ...executionOutcome(result), changes: stateChanges(overlay, before) }
}

/** The paths at which two outcomes part, so that nobody has to find them in two long lines. */
function partings(fast: unknown, library: unknown, path = ''): string[] {
  if (isDeepStrictEqual(fast, library)) return []
  if (!isPlain(fast) || !isPlain(library)) {
    return [`  ${path}: ${shown(fast)} (fast), ${shown(library)} (library)`]
  }
  const [ours, theirs] = [new Map(Object.entries(fast)), new Map(Object.entries(library))]
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((key) =>
    partings(ours.get(key), theirs.get(key), path === '' ? key : `${path}.${key}`),
  )
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

function shown(value: unknown): string {
  const plain = (_: string, inner: unknown) => {
    if (inner instanceof Uint8Array) return toHex(inner)
    if (inner instanceof Set || inner instanceof Map) return [...inner]
    return typeof inner === 'bigint' ? `${inner}` : inner
  }
  return JSON.stringify(value, plain) ?? 'none'
}
