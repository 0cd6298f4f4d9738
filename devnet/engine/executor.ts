import { afterwards } from '../primitives/afterwards.ts'
import { EMPTY_BYTES, ZERO_HASH } from '../primitives/bytes.ts'
import { RejectedError } from '../primitives/errors.ts'
import { lazy, memoize } from '../primitives/memo.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { SLOT_STATE_GAS } from '../protocol/gas.ts'
import { SYSTEM_ADDRESS } from '../protocol/systemContracts.ts'
import type { DecodedTransaction, TransactionFields } from '../protocol/transaction.ts'
import { Codes } from '../state/codes.ts'
import type { StateReader } from '../state/types.ts'
import { withoutSidecar } from './blobSidecar.ts'
import { CoreLimitError } from './core/codeCache.ts'
import type { CoverageRecorder } from './coverageCalls.ts'
import type { Crypto } from './crypto.ts'
import {
  decodeTransaction,
  recoverSender,
  type SignedTransaction,
  type UnidentifiedTransaction,
  withSender,
} from './decodeTransaction.ts'
import type { FastMachine } from './fast/fastMachine.ts'
import { type EngineChoice, fastEngine, whyLibrary } from './fast/route.ts'
import type { FixedCommon } from './library/fixedCommon.ts'
import { Machine } from './machine.ts'
import { runOnRollup } from './rollup.ts'
import { SIDE_BY_SIDE } from './scheduler.ts'
import type {
  BlockHashes,
  CallExecution,
  CallOptions,
  Execution,
  RunOptions,
  SystemExecution,
} from './types.ts'

type Library = typeof import('./library/libraryExecutor.ts')

/** More gas than any transaction has. */
const MAX_GAS = 2n ** 52n

const SYSTEM_CALL_GAS = 30_000_000
/** For 16 new slots (EIP-8037). */
const SYSTEM_CALL_STATE_GAS = 16 * SLOT_STATE_GAS

/**
 * Executes transactions and calls under the rules of some blocks: by the fast engine if it takes
 * them, else by the library, which is loaded when it is first needed.
 */
export class Executor {
  /** The chain id of {@link rules}. */
  readonly chainId: bigint
  readonly rules: ForkRules
  readonly crypto: Crypto
  readonly #codes: Codes
  readonly #engine: EngineChoice
  readonly #coverage: CoverageRecorder | undefined
  readonly #shared: Shared

  constructor(parameters: {
    rules: ForkRules
    crypto: Crypto
    codes: Codes
    engine: EngineChoice
    /** Default: none is recorded. */
    coverage?: CoverageRecorder | undefined
  }) {
    const { rules, crypto, engine, coverage } = parameters
    this.#shared = shares(rules)(coverage ?? crypto)[engine]
    this.crypto = crypto
    this.#codes = parameters.codes
    this.#engine = engine
    this.#coverage = coverage
    this.rules = rules
    this.chainId = BigInt(rules.chainId)
  }

  /**
   * Returns a machine over `base`, or a promise of a new one: {@link release} it after use, or drop
   * it after an error.
   */
  acquire(base: StateReader, blockHashes: BlockHashes): Machine | Promise<Machine> {
    return afterwards(this.#shared.idle.pop() ?? this.#make(base), (machine) => {
      machine.reset(base, blockHashes, this.#codes)
      return machine
    })
  }

  async #make(base: StateReader): Promise<Machine> {
    const { chainId, common, crypto, rules } = this
    const machine = new Machine(base, this.#codes, common, this.#coverage)
    const Fast = this.#engine === 'fast' ? await fastEngine(rules) : undefined
    if (Fast === undefined) await machine.library()
    else machine.fast = new Fast(machine, { chainId, crypto, rules })
    return machine
  }

  /** The library's form of the rules. */
  get common(): () => Promise<FixedCommon> {
    this.#shared.common ??= lazyCommon(this.rules, this.crypto)
    return this.#shared.common
  }

  /** Keeps a machine for reuse. Not for use after an error, which leaves checkpoints open. */
  release(machine: Machine): void {
    const { idle } = this.#shared
    if (idle.length < SIDE_BY_SIDE) idle.push(machine)
  }

  /** Clears the data of a chain from the machines, which other chains use next. */
  forget(): void {
    const codes = new Codes(this.crypto.keccak256)
    for (const machine of this.#shared.idle) {
      machine.reset(NOTHING, () => ZERO_HASH, codes)
      machine.fast?.forget()
    }
  }

  /** Runs `work` on a machine over `base`, and releases the machine unless `work` throws. */
  async use<Result>(
    base: StateReader,
    blockHashes: BlockHashes,
    work: (machine: Machine) => Promise<Result>,
  ): Promise<Result> {
    const machine = await this.acquire(base, blockHashes)
    const result = await work(machine)
    this.release(machine)
    return result
  }

  /**
   * Decodes a transaction.
   *
   * @param raw - EIP-2718 bytes, as in a block: without a blob sidecar
   * @throws as {@link decodeTransaction}
   */
  decode(raw: Uint8Array): UnidentifiedTransaction {
    return decodeTransaction(raw, this.chainId, this.rules, this.crypto)
  }

  /**
   * As {@link decode}, but a blob transaction may come with its sidecar, as clients send it.
   *
   * @throws {RejectedError} also for a deposit, which only L1 can send
   */
  decodeSent(raw: Uint8Array): SignedTransaction {
    const decoded = this.decode(withoutSidecar(raw))
    if (decoded.sender === undefined) return decoded
    throw new RejectedError(
      'transaction type not supported: a deposit comes from L1; make one with preconf_deposit',
    )
  }

  /**
   * Adds the sender to a decoded transaction.
   *
   * @param sender - 20 bytes; default: recovered from the signature
   * @throws {InvalidSenderError} if no sender can be recovered
   */
  identify(decoded: UnidentifiedTransaction, sender?: Uint8Array): DecodedTransaction {
    return withSender(decoded, sender ?? recoverSender(decoded, this.crypto))
  }

  /**
   * Calls a system contract before or after the transactions of a block. A call that fails changes
   * nothing.
   *
   * @param data - calldata; default: none
   */
  async systemCall(
    machine: Machine,
    to: Uint8Array,
    block: BlockContext,
    data: Uint8Array = EMPTY_BYTES,
  ): Promise<SystemExecution> {
    const stateGas = this.rules.stateGas ? SYSTEM_CALL_STATE_GAS : 0
    const call = { from: SYSTEM_ADDRESS, to, data, gas: SYSTEM_CALL_GAS, stateGas }
    return this.#route(
      machine,
      SYSTEM_CALL_GAS,
      (fast) => fast.systemCall(call, block, machine.blockHashes),
      (library) => library.systemCallInLibrary(machine, call, this.rules, block),
    )
  }

  /**
   * Executes one transaction on the machine's overlay: at once if nothing has to be awaited, as in
   * most ticks.
   *
   * @throws {Error} if a block cannot include the transaction; the machine must then be dropped
   */
  run(
    machine: Machine,
    fields: TransactionFields,
    block: BlockContext,
    options: RunOptions = {},
  ): Execution | Promise<Execution> {
    if (!this.rules.opStack) return this.#run(machine, fields, block, options)
    const run = (changes?: RunOptions) =>
      this.#run(machine, fields, block, { ...options, ...changes })
    return runOnRollup({ machine, fields, block, rules: this.rules, crypto: this.crypto }, run)
  }

  #run(
    machine: Machine,
    fields: TransactionFields,
    block: BlockContext,
    options: RunOptions,
  ): Execution | Promise<Execution> {
    return this.#route(
      machine,
      fields.gasLimit,
      (fast) => fast.run(fields, block, machine.blockHashes, options),
      (library) => library.runInLibrary(machine, fields, this.rules, block, options),
    )
  }

  /**
   * Executes a transaction on the machine's overlay, without checking its nonce: at once if
   * nothing has to be awaited, as in short calls.
   *
   * @throws {Error} if it is refused; the machine must then be dropped
   */
  call(
    machine: Machine,
    fields: TransactionFields,
    block: BlockContext,
    options: CallOptions = {},
  ): CallExecution | Promise<CallExecution> {
    return this.#route(
      machine,
      fields.gasLimit,
      (fast) => fast.call(fields, block, machine.blockHashes, options),
      (library) => library.callInLibrary(machine, fields, this.rules, block, options),
    )
  }

  #route<Result>(
    machine: Machine,
    gasLimit: bigint | number,
    inFast: (fast: FastMachine) => Result | Promise<Result>,
    inLibrary: (library: Library) => Promise<Result>,
  ): Result | Promise<Result> {
    const run = () => this.#execute(machine, gasLimit, inFast, inLibrary)
    return this.#coverage === undefined ? run() : this.#counted(run)
  }

  async #counted<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await run()
    } finally {
      this.#coverage?.flush()
    }
  }

  #execute<Result>(
    machine: Machine,
    gasLimit: bigint | number,
    inFast: (fast: FastMachine) => Result | Promise<Result>,
    inLibrary: (library: Library) => Promise<Result>,
  ): Result | Promise<Result> {
    const { fast, overlay } = machine
    if (fast === undefined || whyLibrary(machine, gasLimit) !== undefined) {
      return this.#loadLibrary(machine).then(inLibrary)
    }
    const { presentedAsEoa } = overlay
    const instead = (error: unknown): Promise<Result> => {
      // A second run would report the same accesses to the watch again.
      if (!(error instanceof CoreLimitError) || machine.watch !== undefined) throw error
      // Nothing was written to the overlay: the library begins from the start.
      machine.console.take()
      if (presentedAsEoa !== undefined) overlay.presentAsEoaOnce(presentedAsEoa)
      return this.#loadLibrary(machine).then(inLibrary)
    }
    try {
      const result = inFast(fast)
      return result instanceof Promise ? result.catch(instead) : result
    } catch (error) {
      return instead(error)
    }
  }

  #loadLibrary({ scheduler }: Machine): Promise<Library> {
    const { library } = this.#shared
    if (library !== undefined) return library
    this.#shared.library = import('./library/libraryExecutor.ts')
    return scheduler.untimed(this.#shared.library)
  }
}

/** Parts of an executor that do not depend on a chain. */
interface Shared {
  readonly idle: Machine[]
  common?: () => Promise<FixedCommon>
  library?: Promise<Library>
}

/**
 * Those of all chains of this process, by their rules, and by what records coverage or else by
 * their crypto. V8 counts the 50 MB of addresses of a new core as memory, and collects garbage.
 */
const shares = memoize((_rules: ForkRules) =>
  memoize((_part: object): Readonly<Record<EngineChoice, Shared>> => {
    return { fast: { idle: [] }, library: { idle: [] } }
  }),
)

function lazyCommon(rules: ForkRules, crypto: Crypto): () => Promise<FixedCommon> {
  const { stateGas, transactionGasCap: cap } = rules
  const executionGasCap = stateGas ? Number(cap ?? MAX_GAS) : undefined
  return lazy(async () => {
    const { createFixedCommon } = await import('./library/fixedCommon.ts')
    return createFixedCommon({ ...rules, crypto, executionGasCap })
  })
}

/** No state. */
const NOTHING: StateReader = {
  account: () => null,
  slot: () => EMPTY_BYTES,
  hasOldStorage: () => false,
  slots: () => [],
  code: () => EMPTY_BYTES,
}
