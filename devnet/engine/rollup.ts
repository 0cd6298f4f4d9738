import { afterwards } from '../primitives/afterwards.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { type ForkRules, initCodeLimit } from '../protocol/forks.ts'
import { intrinsicGas } from '../protocol/gas.ts'
import type { Halt } from '../protocol/halt.ts'
import type { DepositFields } from '../protocol/rollup/depositTransaction.ts'
import { L1_FEE_SLOTS, l1Fee, l1FeeTerms, operatorFee, VAULTS } from '../protocol/rollup/l1Fee.ts'
import { createdAddress, type TransactionFields } from '../protocol/transaction.ts'
import { TransactionRefused } from '../protocol/transactionRefused.ts'
import { EMPTY_ACCOUNT, increased } from '../state/accounts.ts'
import { addressKey } from '../state/keys.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import type { AccountRecord, AddressKey } from '../state/types.ts'
import type { Crypto } from './crypto.ts'
import type { Machine } from './machine.ts'
import type { Execution, RunOptions } from './types.ts'

/** A transaction of an OP Stack chain, and where it is executed. */
interface RollupTransaction {
  readonly machine: Machine
  readonly fields: TransactionFields
  readonly block: BlockContext
  readonly rules: ForkRules
  readonly crypto: Crypto
}

type Run = (changes?: RunOptions) => Execution | Promise<Execution>

/**
 * Executes a transaction of an OP Stack chain: what sets it apart from one of Ethereum happens
 * before and after its execution, so that both engines do the rest.
 *
 * @throws {TransactionRefused} if no block can include the transaction; the state is then as before
 */
export function runOnRollup(
  transaction: RollupTransaction,
  run: Run,
): Execution | Promise<Execution> {
  const { fields, machine } = transaction
  const { compressedLength, deposit, from } = fields
  const sender = addressKey(from)
  if (deposit !== undefined) {
    const ready = machine.overlay.lazyReads?.all({ accounts: [sender], slots: [] })
    return afterwards(ready, () => runDeposit(transaction, deposit, sender, run))
  }
  // One that is not signed, such as a call, pays no L1 fee.
  if (compressedLength === undefined) return run()
  const accounts = [sender, ...Object.values(VAULTS)]
  const ready = machine.overlay.lazyReads?.all({ accounts, slots: L1_FEE_SLOTS })
  return afterwards(ready, () => runPaid(transaction, compressedLength, sender, run))
}

/** The sender pays for L1 and the operator, and no fee is burned. */
function runPaid(
  { machine: { overlay }, fields, block }: RollupTransaction,
  compressedLength: number,
  sender: AddressKey,
  run: Run,
): Execution | Promise<Execution> {
  const { gasLimit, maxFeePerGas, value } = fields
  const terms = l1FeeTerms(overlay)
  const { fee, gasUsed } = l1Fee(terms, compressedLength)
  const reserve = operatorFee(terms, gasLimit)
  const { balance } = accountOf(sender, overlay)
  const cost = value + gasLimit * maxFeePerGas + fee + reserve
  if (balance < cost) throw new TransactionRefused('l1Funds', balance, cost)
  return undoneOnError(overlay, () => {
    overlay.setBalance(sender, balance - fee - reserve)
    return afterwards(run(), (execution) => {
      const operator = operatorFee(terms, execution.gasUsed)
      pay(sender, reserve - operator, overlay)
      pay(VAULTS.baseFee, execution.gasUsed * block.baseFeePerGas, overlay)
      pay(VAULTS.l1Fee, fee, overlay)
      pay(VAULTS.operatorFee, operator, overlay)
      return { ...execution, l1Charge: { terms, fee, gasUsed } }
    })
  })
}

/** Runs a deposit. If it fails, its mint stays; if it cannot even begin, it uses all of its gas. */
function runDeposit(
  transaction: RollupTransaction,
  { mint }: DepositFields,
  sender: AddressKey,
  run: Run,
): Execution | Promise<Execution> {
  const { overlay } = transaction.machine
  return undoneOnError(overlay, () => {
    pay(sender, mint, overlay)
    const before = accountOf(sender, overlay)
    const problem = depositHalt(transaction, before)
    if (problem !== undefined) {
      overlay.setNonce(sender, before.nonce + 1n)
      return failedDeposit(transaction, before, problem)
    }
    overlay.presentAsEoaOnce(sender)
    return run({ skipNonce: true, waiveBaseFee: true })
  })
}

/** Reason why a deposit cannot begin. */
function depositHalt(
  { fields, rules }: RollupTransaction,
  { balance }: AccountRecord,
): Halt | undefined {
  const { gasLimit, to, data, value } = fields
  const { intrinsic, floor } = intrinsicGas(fields, rules)
  if (gasLimit < Math.max(intrinsic, floor)) return 'intrinsicGas'
  if (balance < value) return 'insufficientBalance'
  if (to === undefined && data.length > initCodeLimit(rules)) return 'initCodeSize'
  return undefined
}

function failedDeposit(
  { fields: { from, gasLimit, to }, crypto }: RollupTransaction,
  { nonce }: AccountRecord,
  failure: Halt,
): Execution {
  return {
    success: false,
    gasUsed: gasLimit,
    gasBeforeRefund: gasLimit,
    blockGas: undefined,
    accesses: undefined,
    blobGasUsed: undefined,
    logs: [],
    bloomBits: '',
    returnData: EMPTY_BYTES,
    failure,
    createdAddress:
      to === undefined ? createdAddress({ from, nonce }, crypto.keccak256) : undefined,
    printed: undefined,
    innerFrames: undefined,
    isUnopened: true,
  }
}

/** Undoes the changes of `work` if it throws. */
function undoneOnError(
  overlay: Overlay,
  work: () => Execution | Promise<Execution>,
): Execution | Promise<Execution> {
  const undo = (error: unknown): never => {
    overlay.revertCheckpoint()
    throw error
  }
  const keep = (execution: Execution): Execution => {
    overlay.keepCheckpoint()
    return execution
  }
  overlay.openCheckpoint()
  try {
    const execution = work()
    return execution instanceof Promise ? execution.then(keep, undo) : keep(execution)
  } catch (error) {
    return undo(error)
  }
}

function pay(key: AddressKey, amount: bigint, overlay: Overlay): void {
  if (amount > 0n) overlay.setBalance(key, increased(accountOf(key, overlay).balance, amount))
}

function accountOf(key: AddressKey, overlay: Overlay): AccountRecord {
  return overlay.account(key) ?? EMPTY_ACCOUNT
}
