import type { Block } from '@ethereumjs/block'
import { Address, generateAddress } from '@ethereumjs/util'
import { Bloom, type RunTxOpts, type RunTxResult, runTx, type VM } from '@ethereumjs/vm'
import { bigIntToBytes } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import type { BlockContext } from '../../protocol/blockContext.ts'
import { type BloomBits, bitsOfBloom } from '../../protocol/bloom.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import { addressKey } from '../../state/keys.ts'
import type { SystemCall } from '../fast/openTransaction.ts'
import type { Machine } from '../machine.ts'
import { waivedFees } from '../transactionRules.ts'
import { isTransferLog } from '../transferTrace.ts'
import type {
  CallExecution,
  CallOptions,
  Execution,
  RunOptions,
  SystemExecution,
} from '../types.ts'
import { CallWatch, revealFees } from './callWatch.ts'
import { executionHalt, toExecution } from './executionResult.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { beginAccesses, takeAccesses } from './libraryAccesses.ts'
import { libraryTransaction } from './libraryTransaction.ts'
import { toRefusal } from './libraryWords.ts'

export async function systemCallInLibrary(
  machine: Machine,
  call: SystemCall,
  rules: ForkRules,
  block: BlockContext,
): Promise<SystemExecution> {
  const [common, { evm }] = await Promise.all([machine.common(), machine.library()])
  beginAccesses(evm, rules)
  evm.stateGasReservoir = BigInt(call.stateGas)
  const { execResult } = await evm.runCall({
    caller: new Address(call.from),
    to: new Address(call.to),
    gasLimit: BigInt(call.gas),
    block: libraryBlock(block, common),
    // The call must not create an account for the caller.
    skipNonceIncrement: true,
    data: call.data,
  })
  await evm.journal.cleanup()
  machine.vm.stateManager.originalStorageCache.clear()
  // The next transaction must not report what a system contract printed.
  machine.console.take()
  // Calls by the system do not count as accesses to its address.
  const from = addressKey(call.from)
  const accesses = takeAccesses(evm, machine.overlay)?.filter(({ key }) => key !== from)
  return { returnData: execResult.returnValue, failure: executionHalt(execResult), accesses }
}

export async function runInLibrary(
  machine: Machine,
  fields: TransactionFields,
  rules: ForkRules,
  block: BlockContext,
  options: RunOptions,
): Promise<Execution> {
  const [common, vm] = await Promise.all([machine.common(), machine.library()])
  const transaction = libraryTransaction(fields, common, rules)
  const seen = libraryBlock({ ...block, ...waivedFees(block, options) }, common)
  const watch =
    options.waiveBaseFee === true
      ? new CallWatch(machine, options, () => revealFees(seen, block))
      : undefined
  const skipNonce = options.skipNonce === true
  beginAccesses(vm.evm, rules)
  // No frame may begin (EIP-2780).
  machine.innerFrames.begin()
  const result = await execute(vm, { tx: transaction.tx, block: seen, skipNonce }, fields, watch)
  noteRecipient(machine, fields)
  const execution = toExecution(result, transaction, machine)
  const recipient = fields.to ?? execution.createdAddress ?? fields.from
  const [from, to] = [addressKey(fields.from), addressKey(recipient)]
  return { ...execution, innerFrames: machine.innerFrames.take(from, to, execution.failure) }
}

export async function callInLibrary(
  machine: Machine,
  fields: TransactionFields,
  rules: ForkRules,
  block: BlockContext,
  callOptions: CallOptions,
): Promise<CallExecution> {
  const [common, vm] = await Promise.all([machine.common(), machine.library()])
  const transaction = libraryTransaction(fields, common, rules)
  const seen = libraryBlock({ ...block, ...waivedFees(block, callOptions) }, common)
  const watch = new CallWatch(machine, callOptions, () => revealFees(seen, block))
  const options = { tx: transaction.tx, block: seen, skipNonce: true }
  beginAccesses(vm.evm, rules)
  const result = await execute(vm, options, fields, watch)
  noteRecipient(machine, fields)
  const execution = toExecution(result, transaction, machine, callOptions.precompiles)
  const { lostLogs } = watch
  const tracedLogs = lostLogs?.kept(execution.logs) ?? execution.logs
  const logs = tracedLogs.filter((log) => !isTransferLog(log))
  return {
    ...execution,
    logs,
    // The bloom of a block covers only logs that contracts emitted.
    bloomBits: logs.length === execution.logs.length ? execution.bloomBits : bitsOf(logs, common),
    tracedLogs,
    ...(lostLogs === undefined ? {} : { emission: lostLogs.emission(execution.logs) }),
  }
}

/**
 * Notes the access to the recipient, or to the contract of a creation, if the gas ended right
 * behind it: the library forgets it then (EIP-7928).
 */
function noteRecipient({ vm: { evm }, overlay }: Machine, { to, from }: TransactionFields): void {
  if (evm.eip2780PrepOog !== true) return
  const { nonce = 1n } = overlay.account(addressKey(from)) ?? {}
  const recipient = to ?? generateAddress(from, bigIntToBytes(nonce - 1n))
  evm.blockLevelAccessList?.addAddress(toHex(recipient))
}

async function execute(
  vm: VM,
  options: RunTxOpts,
  fields: TransactionFields,
  watch: CallWatch | undefined,
): Promise<RunTxResult> {
  const skipped = { skipHardForkValidation: true, skipBlockGasLimitValidation: true }
  try {
    return await runTx(vm, { ...options, ...skipped })
  } catch (error) {
    throw toRefusal(error, fields)
  } finally {
    watch?.end()
  }
}

function bitsOf(logs: readonly RawLog[], common: FixedCommon): BloomBits {
  const bloom = new Bloom(undefined, common)
  for (const [address, topics] of logs) {
    bloom.add(address)
    for (const topic of topics) bloom.add(topic)
  }
  return bitsOfBloom(bloom.bitvector)
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
    slotNumber: block.slotNumber,
    getBlobGasPrice: () => block.blobBaseFee,
  }
  // The cast is sound: runTx and the opcodes read exactly these members (vm 10.1.3, pinned).
  return { header, common, errorStr: () => `block ${block.number}` } as unknown as Block
}
