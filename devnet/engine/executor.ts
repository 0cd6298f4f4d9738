import type { Block } from '@ethereumjs/block'
import type { TypedTransaction } from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import { Bloom, type RunTxResult, runTx } from '@ethereumjs/vm'
import type { ForkRules } from '../protocol/forks.ts'
import type { Codes } from '../state/codes.ts'
import type { StateReader } from '../state/types.ts'
import { type CallOptions, CallWatch, revealFees, waivedFees } from './callWatch.ts'
import type { ConsoleCalls } from './consoleCalls.ts'
import type { Crypto } from './crypto.ts'
import {
  type DecodedTransaction,
  decodeTransaction,
  recoverSender,
  type SignedTransaction,
  withSender,
} from './decodeTransaction.ts'
import { createFixedCommon, type FixedCommon } from './fixedCommon.ts'
import { failureOf, type Halt, toExecution } from './halts.ts'
import { type BlockHashes, Machine } from './machine.ts'
import { isTransferLog } from './transferTrace.ts'
import { buildUnsigned, type UnsignedTransaction } from './unsignedTransaction.ts'

/** The block that code sees while it runs. */
export interface BlockContext {
  readonly number: bigint
  /** s since the epoch. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** wei; 0 before London. */
  readonly baseFeePerGas: bigint
  /** 20 bytes. */
  readonly coinbase: Uint8Array
  /** 32 bytes; DIFFICULTY answers it since Paris. */
  readonly prevRandao: Uint8Array
  readonly difficulty: bigint
  /** wei; what BLOBBASEFEE answers and blobs cost. */
  readonly blobBaseFee: bigint
}

/** Log as the library has it: address, topics, data. */
export type RawLog = readonly [address: Uint8Array, topics: readonly Uint8Array[], data: Uint8Array]

/** What one transaction did. */
export interface Execution {
  readonly success: boolean
  readonly gasUsed: bigint
  /** Gas before refunds. */
  readonly gasBeforeRefund: bigint
  readonly blobGasUsed: bigint | undefined
  readonly logs: readonly RawLog[]
  /** 256 bytes (yellow paper 4.3.1). */
  readonly bloom: Uint8Array
  readonly returnData: Uint8Array
  /** Why it failed: `revert`, `out of gas`, `invalid opcode`, …; `undefined` on success. */
  readonly failure: string | undefined
  /** More about that. */
  readonly halt: Halt | undefined
  /** 20 bytes of the contract that the transaction created; also where that failed. */
  readonly createdAddress: Uint8Array | undefined
  /** What its contracts printed with `console.log`; `undefined` for nothing. */
  readonly printed: ConsoleCalls | undefined
}

/** What one call did. */
export interface CallExecution extends Execution {
  /** The logs with those for transfers of ether among them, where these were asked for. */
  readonly tracedLogs: readonly RawLog[]
  /** Where it was asked for, from Berlin on. */
  readonly access?: AccessReport | undefined
}

/** What a call found cold, and its access list (EIP-2929, EIP-2930); also what it accessed in frames that failed. */
export interface AccessReport {
  /** 0x-prefixed, in no particular order. */
  readonly accessList: readonly { readonly address: string; readonly storageKeys: string[] }[]
  /** Addresses of 40 hexadecimal digits at which a contract was created, or should have been: warm from then on. */
  readonly created: ReadonlySet<string>
}

/** What a system call did. */
export interface SystemExecution {
  readonly returnData: Uint8Array
  /** As in {@link Execution}. */
  readonly failure: string | undefined
}

/** Who makes the system calls (EIP-4788, EIP-7002, EIP-7251). */
const SYSTEM_ADDRESS = new Uint8Array(20).fill(0xff)
SYSTEM_ADDRESS[19] = 0xfe

const SYSTEM_CALL_GAS = 30_000_000n

/** How many idle machines are kept: more run only while more requests run at once. */
const IDLE_MACHINES = 8

/** Everything that needs the EVM, under the rules of one hardfork: the heavy half of the engine. */
export class Executor {
  readonly common: FixedCommon
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
    this.crypto = parameters.crypto
    this.#codes = parameters.codes
    this.rules = parameters.rules
    this.common = createFixedCommon({ ...parameters, ...parameters.rules })
  }

  /** A machine over `base`; give it back with {@link release}, or drop it after an error. */
  async acquire(base: StateReader, blockHashes: BlockHashes): Promise<Machine> {
    const machine = this.#idle.pop() ?? (await Machine.create(this.common, this.#codes, base))
    machine.reset(base, blockHashes)
    return machine
  }

  /**
   * Takes a machine back. Never after a thrown error: the library then leaves checkpoints open.
   */
  release(machine: Machine): void {
    if (this.#idle.length < IDLE_MACHINES) this.#idle.push(machine)
  }

  /** Runs `work` on a machine over `base`, which goes back to the pool unless `work` throws. */
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

  /** Reads a signed transaction. @throws {RefusedError} {@link UndecodableTransactionError} */
  decode(raw: Uint8Array): SignedTransaction {
    return decodeTransaction(raw, this.common, this.rules, this.crypto)
  }

  /**
   * Completes a decoded transaction.
   *
   * @param sender - 20 bytes that were recovered elsewhere; default: recovers it here
   * @throws {RefusedError} {@link InvalidSenderError}
   */
  identify(signed: SignedTransaction, sender?: Uint8Array): DecodedTransaction {
    return withSender(signed, sender ?? recoverSender(signed.message, this.crypto))
  }

  /**
   * Calls a system contract as the EIPs ask around a block. A call that fails changes nothing.
   *
   * @param data - default: none
   */
  async systemCall(
    machine: Machine,
    to: Uint8Array,
    block: BlockContext,
    data?: Uint8Array,
  ): Promise<SystemExecution> {
    const { execResult } = await machine.vm.evm.runCall({
      caller: new Address(SYSTEM_ADDRESS),
      to: new Address(to),
      gasLimit: SYSTEM_CALL_GAS,
      block: libraryBlock(block, this.common),
      // The caller is no account: it must not come into being.
      skipNonceIncrement: true,
      ...(data === undefined ? {} : { data }),
    })
    await machine.vm.evm.journal.cleanup()
    machine.overlay.originalStorageCache.clear()
    // What a system contract prints is nobody's.
    machine.console.take()
    return { returnData: execResult.returnValue, failure: failureOf(execResult) }
  }

  /**
   * Executes one transaction on the machine's overlay.
   *
   * @param options.skipNonce - does not compare the nonce; it still rises
   * @throws {Error} where the transaction cannot be in a block; the machine is then spoilt
   */
  async run(
    machine: Machine,
    tx: TypedTransaction,
    block: BlockContext,
    options: { skipNonce?: boolean } = {},
  ): Promise<Execution> {
    const result = await runTx(machine.vm, {
      tx,
      block: libraryBlock(block, this.common),
      skipNonce: options.skipNonce === true,
      skipHardForkValidation: true,
      skipBlockGasLimitValidation: true,
    })
    return toExecution(result, tx, machine)
  }

  /** An unsigned transaction for {@link call}, whose fields were checked before. */
  unsigned(fields: UnsignedTransaction): TypedTransaction {
    return buildUnsigned(fields, this.common)
  }

  /**
   * Executes an unsigned transaction on the machine's overlay; its nonce is not compared.
   *
   * @throws {Error} where the library refuses it; the machine is then spoilt
   */
  async call(
    machine: Machine,
    tx: TypedTransaction,
    block: BlockContext,
    options: CallOptions = {},
  ): Promise<CallExecution> {
    const seen = libraryBlock(waivedFees(block, options), this.common)
    const watch = new CallWatch(machine, options, () => revealFees(seen, block))
    let result: RunTxResult
    try {
      result = await runTx(machine.vm, {
        tx,
        block: seen,
        skipNonce: true,
        skipHardForkValidation: true,
        skipBlockGasLimitValidation: true,
        reportAccessList: options.reportAccess === true,
      })
    } finally {
      watch.end()
    }
    const execution = toExecution(result, tx, machine, options.precompiles)
    const logs = execution.logs.filter((log) => !isTransferLog(log))
    return {
      ...execution,
      logs,
      // Logs that no contract emitted are not in the bloom of a block.
      bloom: logs.length === execution.logs.length ? execution.bloom : bloomOf(logs, this.common),
      tracedLogs: execution.logs,
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

/** The part of a block that runTx and the opcodes look at; a whole one costs 40 times as much to make. */
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
  // runTx reads exactly these members (vm 10.1.3, which is pinned).
  return { header, common, errorStr: () => `block ${block.number}` } as unknown as Block
}
