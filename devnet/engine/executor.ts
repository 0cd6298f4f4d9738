import type { Block } from '@ethereumjs/block'
import { Address } from '@ethereumjs/util'
import { Bloom, type RunTxResult, runTx } from '@ethereumjs/vm'
import type { ForkRules } from '../protocol/forks.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { Codes } from '../state/codes.ts'
import type { StateReader } from '../state/types.ts'
import { withoutSidecar } from './blobSidecar.ts'
import { CallWatch, revealFees, waivedFees } from './callWatch.ts'
import type { Crypto } from './crypto.ts'
import {
  type DecodedTransaction,
  decodeTransaction,
  recoverSender,
  type SignedTransaction,
  withSender,
} from './decodeTransaction.ts'
import { failureOf, toExecution } from './executionResult.ts'
import { createFixedCommon, type FixedCommon } from './fixedCommon.ts'
import { libraryTransaction } from './libraryTransaction.ts'
import { Machine } from './machine.ts'
import { isTransferLog } from './transferTrace.ts'
import type {
  BlockContext,
  BlockHashes,
  CallExecution,
  CallOptions,
  Execution,
  RawLog,
} from './types.ts'

/** Caller of system contracts (EIP-4788, EIP-7002, EIP-7251). */
const SYSTEM_ADDRESS = new Uint8Array(20).fill(0xff)
SYSTEM_ADDRESS[19] = 0xfe

const SYSTEM_CALL_GAS = 30_000_000n

/** Maximum number of idle machines; more machines exist only while more executions run at once. */
const IDLE_MACHINES = 8

/** Executes transactions and calls under the rules of one hardfork. This file loads the library. */
export class Executor {
  readonly common: FixedCommon
  readonly chainId: bigint
  readonly rules: ForkRules
  readonly crypto: Crypto
  readonly #codes: Codes
  readonly #idle: Machine[] = []

  constructor(parameters: {
    chainId: number
    rules: ForkRules
    crypto: Crypto
    codes: Codes
  }) {
    this.chainId = BigInt(parameters.chainId)
    this.crypto = parameters.crypto
    this.#codes = parameters.codes
    this.rules = parameters.rules
    this.common = createFixedCommon({ ...parameters, ...parameters.rules })
  }

  /** Returns a machine over `base`: {@link release} it after use, or drop it after an error. */
  async acquire(base: StateReader, blockHashes: BlockHashes): Promise<Machine> {
    const machine = this.#idle.pop() ?? (await Machine.create(this.common, this.#codes, base))
    machine.reset(base, blockHashes)
    return machine
  }

  /** Keeps a machine for reuse. Not for use after an error, which leaves checkpoints open. */
  release(machine: Machine): void {
    if (this.#idle.length < IDLE_MACHINES) this.#idle.push(machine)
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
   * Decodes a signed transaction.
   *
   * @param raw - EIP-2718 bytes, as in a block: without a blob sidecar
   * @throws as {@link decodeTransaction}
   */
  decode(raw: Uint8Array): SignedTransaction {
    return decodeTransaction(raw, this.chainId, this.rules, this.crypto)
  }

  /** As {@link decode}, but a blob transaction may come with its sidecar, as clients send it. */
  decodeSent(raw: Uint8Array): SignedTransaction {
    return this.decode(withoutSidecar(raw))
  }

  /**
   * Adds the sender to a decoded transaction.
   *
   * @param sender - 20 bytes; default: recovered from the signature
   * @throws {InvalidSenderError} if no sender can be recovered
   */
  identify(signed: SignedTransaction, sender?: Uint8Array): DecodedTransaction {
    return withSender(signed, sender ?? recoverSender(signed.message, this.crypto))
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
    data?: Uint8Array,
  ): Promise<Pick<Execution, 'returnData' | 'failure'>> {
    const { execResult } = await machine.vm.evm.runCall({
      caller: new Address(SYSTEM_ADDRESS),
      to: new Address(to),
      gasLimit: SYSTEM_CALL_GAS,
      block: libraryBlock(block, this.common),
      // The call must not create an account for the caller.
      skipNonceIncrement: true,
      ...(data === undefined ? {} : { data }),
    })
    await machine.vm.evm.journal.cleanup()
    machine.overlay.originalStorageCache.clear()
    // The next transaction must not report what a system contract printed.
    machine.console.take()
    return { returnData: execResult.returnValue, failure: failureOf(execResult) }
  }

  /**
   * Executes one transaction on the machine's overlay.
   *
   * @param options.skipNonce - skips the check of the nonce, which still rises; default: false
   * @throws {Error} if a block cannot include the transaction; the machine must then be dropped
   */
  async run(
    machine: Machine,
    fields: TransactionFields,
    block: BlockContext,
    options: { skipNonce?: boolean } = {},
  ): Promise<Execution> {
    const transaction = libraryTransaction(fields, this.common, this.rules)
    const result = await runTx(machine.vm, {
      tx: transaction.tx,
      block: libraryBlock(block, this.common),
      skipNonce: options.skipNonce === true,
      skipHardForkValidation: true,
      skipBlockGasLimitValidation: true,
    })
    return toExecution(result, transaction, machine)
  }

  /**
   * Executes a transaction on the machine's overlay, without checking its nonce.
   *
   * @throws {Error} if the library refuses it; the machine must then be dropped
   */
  async call(
    machine: Machine,
    fields: TransactionFields,
    block: BlockContext,
    options: CallOptions = {},
  ): Promise<CallExecution> {
    const transaction = libraryTransaction(fields, this.common, this.rules)
    const seen = libraryBlock(waivedFees(block, options), this.common)
    const watch = new CallWatch(machine, options, () => revealFees(seen, block))
    let result: RunTxResult
    try {
      result = await runTx(machine.vm, {
        tx: transaction.tx,
        block: seen,
        skipNonce: true,
        skipHardForkValidation: true,
        skipBlockGasLimitValidation: true,
        reportAccessList: options.reportAccess === true,
      })
    } finally {
      watch.end()
    }
    const execution = toExecution(result, transaction, machine, options.precompiles)
    const { lostLogs } = watch
    const tracedLogs = lostLogs?.kept(execution.logs) ?? execution.logs
    const logs = tracedLogs.filter((log) => !isTransferLog(log))
    return {
      ...execution,
      logs,
      // The bloom of a block covers only logs that contracts emitted.
      bloom: logs.length === execution.logs.length ? execution.bloom : bloomOf(logs, this.common),
      tracedLogs,
      ...(lostLogs === undefined ? {} : { emission: lostLogs.emission(execution.logs) }),
      ...(result.accessList === undefined
        ? undefined
        : { access: { accessList: result.accessList, created: watch.created } }),
    }
  }
}

function bloomOf(logs: readonly RawLog[], common: FixedCommon): Uint8Array {
  const bloom = new Bloom(undefined, common)
  for (const [address, topics] of logs) {
    bloom.add(address)
    for (const topic of topics) bloom.add(topic)
  }
  return bloom.bitvector
}

/** The members of a block that the library reads: a real `Block` takes 40 times as long to make. */
function libraryBlock(block: BlockContext, common: FixedCommon): Block {
  const header = {
    number: block.number,
    timestamp: block.timestamp,
    gasLimit: block.gasLimit,
    gasUsed: 0n,
    baseFeePerGas: block.baseFeePerGas,
    coinbase: new Address(block.coinbase),
    difficulty: block.difficulty,
    prevRandao: block.prevRandao,
    getBlobGasPrice: () => block.blobBaseFee,
  }
  // The cast is sound: runTx and the opcodes read exactly these members (vm 10.1.3, pinned).
  return { header, common, errorStr: () => `block ${block.number}` } as unknown as Block
}
