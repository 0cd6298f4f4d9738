import { blobGasOf, maxCostOf } from '../../protocol/fees.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import {
  ACCOUNT_STATE_GAS,
  type IntrinsicGas,
  intrinsicCap,
  intrinsicGas,
} from '../../protocol/gas.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import { TransactionRefused } from '../../protocol/transactionRefused.ts'
import { increased } from '../../state/accounts.ts'
import { EMPTY_CODE_HASH, isDelegation } from '../../state/codes.ts'
import { addressKey, slotKey } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import type { Core } from '../core/core.ts'
import { MEMORIES, STACKS } from '../core/layout.ts'
import type { Crypto } from '../crypto.ts'
import { firstReads } from '../firstReads.ts'
import type { Execution } from '../types.ts'
import { plainAddress } from './creations.ts'
import { AuthorizationCharges, applyAuthorizations } from './delegations.ts'
import type { EnvironmentWords } from './environmentWords.ts'
import type { Frames, Outcome, Surroundings } from './frames.ts'
import { GasBudget } from './gasBudget.ts'
import type { OpenedFrame } from './hooks.ts'
import { WARM_GAS } from './hostGas.ts'
import type { AccountEntry, Journal } from './journal.ts'

export interface TransactionOptions extends Surroundings {
  /** The fees that the sender pays; code sees those of the block. In wei. */
  readonly fees: { readonly baseFeePerGas: bigint; readonly blobBaseFee: bigint }
  readonly checkNonce: boolean
  /** True if the sender may have code (against EIP-3607). */
  readonly senderMayHaveCode: boolean
  /** Numbers of the precompiles by address: those that run, and those that are warm. */
  readonly precompiles: ReadonlyMap<AddressKey, number>
  readonly warmPrecompiles: ReadonlyMap<AddressKey, number>
}

export interface TransactionParts {
  readonly core: Core
  readonly journal: Journal
  readonly frames: Frames
  readonly environment: EnvironmentWords
  readonly rules: ForkRules
  readonly chainId: bigint
  readonly crypto: Crypto
}

export interface OpenTransaction {
  readonly sender: AccountEntry
  readonly recipient: AccountEntry
  readonly coinbase: AccountEntry
  readonly gasLimit: number
  readonly gas: IntrinsicGas
  /** wei per gas, and what of it the coinbase gets. */
  readonly price: bigint
  readonly coinbaseFee: bigint
  /** Refund of authorizations, which stays if the code fails. */
  readonly refund: number
  /** State gas that was paid for the account that receives or is created (EIP-8037). */
  stateGas: number
}

/**
 * Checks a transaction, takes its fees and opens its outermost frame. Begins anew each time it is
 * called, so it can be called again after a suspension.
 *
 * @throws {Suspension} if a value of the state has to be fetched first
 * @throws {TransactionRefused}
 */
export function openTransaction(
  parts: TransactionParts,
  tx: TransactionFields,
  options: TransactionOptions,
): OpenTransaction {
  const { core, journal, frames, rules } = parts
  const { data, to, value } = tx
  journal.begin(options.precompiles, options.warmPrecompiles)
  frames.begin(options)
  // Without data, most transactions run no code, so there is nothing more to prefetch.
  journal.prefetched = data.length > 0 ? tx : undefined
  journal.prepare(() => firstReads(tx, options.block.coinbase))
  const sender = journal.account(addressKey(tx.from))
  const coinbase = journal.account(addressKey(options.block.coinbase))
  const gas = intrinsicGas(tx, rules)
  check(parts, tx, gas, sender, options)
  const { baseFeePerGas, blobBaseFee } = options.fees
  const room = tx.maxFeePerGas - baseFeePerGas
  const tip = tx.maxPriorityFeePerGas < room ? tx.maxPriorityFeePerGas : room
  const price = baseFeePerGas + tip
  const blobGas = blobGasOf(tx)
  const isCreation = to === undefined
  const key = isCreation ? plainAddress(core, sender) : addressKey(to)
  const gasLimit = Number(tx.gasLimit)
  const budget = new GasBudget(frames.state, rules, gasLimit - gas.intrinsic, gas.intrinsic)
  // Not in the undo log: changes outside of frames are never undone.
  sender.touched = true
  sender.balance -= tx.gasLimit * price + blobGas * blobBaseFee
  sender.nonce += 1n
  warm(journal, tx, sender, rules.withdrawals ? coinbase : undefined)
  sender.accessed = true
  // The coinbase gets all of the price until London (EIP-1559).
  const coinbaseFee = rules.baseFee ? tip : price
  const { mark } = journal
  const charges = rules.stateGas ? new AuthorizationCharges(budget, tx) : undefined
  const refund = applyAuthorizations(parts, tx.authorizationList, charges)
  parts.environment.set(options.block, tx.from, price)
  const recipient = journal.account(key)
  const opened: OpenTransaction = {
    sender,
    recipient,
    coinbase,
    gasLimit,
    gas,
    price,
    coinbaseFee,
    refund,
    stateGas: 0,
  }
  if (budget.isExceeded) return haltBefore(parts, mark, opened)
  const delegate = isCreation ? undefined : frames.delegate(recipient)
  const code = isCreation ? data : journal.code(delegate ?? recipient)
  if (isCreation) journal.listAccount(recipient)
  else recipient.warm = true
  recipient.accessed = true
  if (rules.stateGas) {
    if ((isCreation || value > 0n) && recipient.isEmpty && recipient !== sender) {
      opened.stateGas = ACCOUNT_STATE_GAS
      budget.payState(ACCOUNT_STATE_GAS)
    }
    if (delegate !== undefined) budget.pay(delegate.warm ? WARM_GAS : frames.gas.coldAccount)
    if (budget.isExceeded) {
      const kind = isCreation ? 'CREATE' : 'CALL'
      const frame = { kind, from: sender.key, to: recipient.key, value, gas: 0 } as const
      return haltBefore(parts, mark, opened, { ...frame, input: () => data })
    }
  }
  if (delegate !== undefined) {
    delegate.warm = true
    delegate.accessed = true
  }
  journal.prefetched = tx
  frames.enter({
    kind: isCreation ? 'CREATE' : 'CALL',
    caller: sender,
    self: recipient,
    target: recipient,
    value,
    code,
    input: MEMORIES,
    inputLength: isCreation ? 0 : data.length,
    stack: STACKS,
    memory: isCreation ? MEMORIES : core.place(MEMORIES, data),
    gas: budget.left,
    isStatic: false,
    output: 0,
    outputLength: 0,
    isCreation,
    stateGas: 0,
  })
  return opened
}

/** Undoes the opening of a transaction whose gas does not suffice for its outermost frame. */
function haltBefore(
  { journal, frames }: TransactionParts,
  mark: number,
  opened: OpenTransaction,
  outermost?: OpenedFrame,
): OpenTransaction {
  journal.revert(mark)
  frames.state.begin(frames.state.reservoirAtStart)
  frames.halt(outermost)
  opened.stateGas = 0
  return opened
}

function check(
  { journal, rules }: TransactionParts,
  tx: TransactionFields,
  { intrinsic, floor }: IntrinsicGas,
  sender: AccountEntry,
  { fees, checkNonce, senderMayHaveCode }: TransactionOptions,
): void {
  const least = Math.max(intrinsic, floor)
  if (tx.gasLimit < least) {
    throw new TransactionRefused('intrinsicGas', tx.gasLimit, BigInt(least))
  }
  const cap = intrinsicCap(rules)
  if (cap !== undefined && least > cap) {
    throw new TransactionRefused('intrinsicCap', BigInt(least), cap)
  }
  if (rules.baseFee && tx.maxFeePerGas < fees.baseFeePerGas) {
    const kind = tx.type < 2 ? 'gasPrice' : 'maxFeePerGas'
    throw new TransactionRefused(kind, tx.maxFeePerGas, fees.baseFeePerGas)
  }
  if (!senderMayHaveCode && sender.codeHash !== EMPTY_CODE_HASH) {
    // An account that delegates may send (EIP-7702).
    if (!rules.requests || !isDelegation(journal.code(sender))) {
      throw new TransactionRefused('senderCode')
    }
  }
  if (tx.type === 3 && tx.maxFeePerBlobGas < fees.blobBaseFee) {
    throw new TransactionRefused('maxFeePerBlobGas', tx.maxFeePerBlobGas, fees.blobBaseFee)
  }
  const cost = maxCostOf(tx)
  if (sender.balance < cost) throw new TransactionRefused('funds', sender.balance, cost)
  if (checkNonce && sender.nonce !== tx.nonce) {
    throw new TransactionRefused('nonce', tx.nonce, sender.nonce)
  }
}

/** Warms what is warm from the start (EIP-2929, EIP-2930, EIP-3651). */
function warm(
  journal: Journal,
  { accessList }: TransactionFields,
  sender: AccountEntry,
  coinbase: AccountEntry | undefined,
): void {
  sender.warm = true
  if (coinbase !== undefined) coinbase.warm = true
  for (const [address, slots] of accessList) {
    const entry = journal.account(addressKey(address))
    journal.listAccount(entry)
    for (const slot of slots) journal.listSlot(entry, slotKey(slot))
  }
}

/** Returns unused gas to the sender, pays the coinbase, and hands all changes to the overlay. */
export function settleTransaction(
  { journal, frames, rules }: TransactionParts,
  { sender, coinbase, gasLimit, gas, price, coinbaseFee, refund, stateGas }: OpenTransaction,
  { gasLeft, failure }: Outcome,
): Pick<Execution, 'gasUsed' | 'gasBeforeRefund' | 'blockGas' | 'accesses'> {
  const { state } = frames
  let left = gasLeft
  if (failure !== undefined && stateGas > 0) {
    const repaid = state.refill(stateGas)
    // After a halt, this gas is burnt with the rest.
    if (failure === 'revert') left += repaid
  }
  const spent = gasLimit - left - state.reservoir
  // At most a fifth (EIP-3529); before London at most a half.
  const most = Math.floor(spent / (rules.baseFee ? 5 : 2))
  const used = Math.max(spent - Math.min(refund + frames.refund, most), gas.floor)
  const gasUsed = BigInt(used)
  sender.balance = increased(sender.balance, (BigInt(gasLimit) - gasUsed) * price)
  coinbase.touched = true
  coinbase.balance = increased(coinbase.balance, gasUsed * coinbaseFee)
  coinbase.accessed = true
  const gasBeforeRefund = BigInt(Math.max(spent, used))
  const accesses = journal.handOver(rules)
  if (!rules.stateGas) return { gasUsed, gasBeforeRefund, blockGas: undefined, accesses }
  const execution = BigInt(Math.max(spent - state.used, gas.floor))
  const blockGas = { execution, state: BigInt(state.used) }
  return { gasUsed, gasBeforeRefund, blockGas, accesses }
}

export interface SystemCall {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly data: Uint8Array
  readonly gas: number
  /** Gas for state that it creates, besides {@link gas} (EIP-8037). */
  readonly stateGas: number
}

/**
 * Opens the outermost frame of a call that is no transaction: it has no fees, no intrinsic gas and
 * no nonce, and nothing is warm.
 *
 * @throws {Suspension} if a value of the state has to be fetched first
 */
export function openSystemCall(
  parts: TransactionParts,
  call: SystemCall,
  options: Pick<TransactionOptions, keyof Surroundings | 'precompiles'>,
): void {
  const { core, journal, frames } = parts
  journal.begin(options.precompiles, new Map())
  frames.begin(options)
  frames.state.begin(call.stateGas)
  parts.environment.set(options.block, call.from, 0n)
  const caller = journal.account(addressKey(call.from))
  const target = journal.account(addressKey(call.to))
  const delegate = frames.delegate(target)
  target.accessed = true
  frames.enter({
    kind: 'CALL',
    caller,
    self: target,
    target,
    value: 0n,
    code: journal.code(delegate ?? target),
    input: MEMORIES,
    inputLength: call.data.length,
    stack: STACKS,
    memory: core.place(MEMORIES, call.data),
    gas: call.gas,
    isStatic: false,
    output: 0,
    outputLength: 0,
    isCreation: false,
    stateGas: 0,
  })
}
