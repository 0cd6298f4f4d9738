import { bytesToBigInt } from '../primitives/bytes.ts'
import { quantity, toHex } from '../primitives/hex.ts'
import { isAtLeast } from '../protocol/forks.ts'
import { Op } from '../protocol/opcodes.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressHex, addressKey, slotHex, slotKeyFromBigInt } from '../state/keys.ts'
import type { AddressKey, SlotKey, StateReader } from '../state/types.ts'
import { creation2Address, creationAddress, delegationTarget } from './authorizations.ts'
import { stackAddress, stackItem } from './stack.ts'
import type { TraceBudget, TraceContext, Tracer, TraceStep } from './tracer.ts'

/** An account as it was when a transaction first came to it. */
export interface PrestateAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly codeHash: Uint8Array
  /** 32 bytes each. */
  readonly storage: Map<SlotKey, bigint>
}

/** The account as it is now; one that does not exist has nothing. */
export function readAccount(state: StateReader, key: AddressKey): PrestateAccount {
  const record = state.account(key)
  const codeHash = record?.codeHash ?? EMPTY_CODE_HASH
  return {
    balance: record?.balance ?? 0n,
    nonce: record?.nonce ?? 0n,
    code: state.code(codeHash),
    codeHash,
    storage: new Map(),
  }
}

/** Whether there is nothing in the account, as far as it was looked at. */
export function isEmpty({ balance, nonce, code }: PrestateAccount): boolean {
  return balance === 0n && nonce === 0n && code.length === 0
}

/** What of an account is shown: all of it, or what is different now. */
export type ShownAccount = Partial<PrestateAccount>

/** In geth's form: what is zero or empty is left out, but for a balance, and for code that is gone. */
export function formatAccount({ balance, code, codeHash, nonce, storage }: ShownAccount): object {
  return {
    balance: balance === undefined ? undefined : quantity(balance),
    code: code === undefined ? undefined : toHex(code),
    codeHash: codeHash === undefined ? undefined : toHex(codeHash),
    nonce: nonce === undefined || nonce === 0n ? undefined : Number(nonce),
    storage: storage === undefined || storage.size === 0 ? undefined : formatStorage(storage),
  }
}

function formatStorage(storage: ReadonlyMap<SlotKey, bigint>): object {
  return Object.fromEntries(
    [...storage].map(([slot, value]) => [
      slotHex(slot),
      `0x${value.toString(16).padStart(64, '0')}`,
    ]),
  )
}

/** What is shown of the accounts. */
export interface PrestateConfig {
  /** What the transaction changed, before and after, instead of all that it came to. */
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  /** Accounts that had nothing in them too; not with `diffMode`. */
  readonly includeEmpty: boolean
}

/** Bytes of an account in JSON beside its code, and of a slot; twice, for the state afterwards. */
const ACCOUNT_SIZE = 500
const SLOT_SIZE = 300

const ACCOUNT_OPS: ReadonlySet<number> = new Set([
  Op.balance,
  Op.extCodeSize,
  Op.extCodeCopy,
  Op.extCodeHash,
  Op.selfDestruct,
])
const CALLS: ReadonlySet<number> = new Set([Op.call, Op.callCode, Op.delegateCall, Op.staticCall])

/** The accounts and slots that a transaction came to, as they were before: geth's `prestateTracer`. */
export class PrestateTracer implements Tracer {
  readonly #config: PrestateConfig
  readonly #budget: TraceBudget
  readonly #pre = new Map<AddressKey, PrestateAccount>()
  readonly #post = new Map<AddressKey, ShownAccount>()
  readonly #created = new Set<AddressKey>()
  readonly #deleted = new Set<AddressKey>()
  #context: TraceContext | undefined

  constructor(config: PrestateConfig, budget: TraceBudget) {
    this.#config = config
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#context = context
    const { tx, from, block, signers } = context
    if (tx.to === undefined) this.#lookUpCreation(creationAddress(context, from))
    else this.#lookUpCode(addressKey(tx.to.bytes))
    this.#lookUp(addressKey(from))
    this.#lookUp(addressKey(block.coinbase))
    for (const signer of signers) this.#lookUp(signer)
  }

  step(step: TraceStep): void {
    // Operands of what is no opcode here mean nothing, and nobody has paid for them.
    if (step.error !== undefined || !step.isDefined) return
    const { opcode } = step
    const caller = step.state.env.address.bytes
    if (opcode === Op.sload || opcode === Op.sstore) {
      this.#lookUpSlot(addressKey(caller), slotKeyFromBigInt(stackItem(step, 0)))
    } else if (ACCOUNT_OPS.has(opcode)) {
      this.#lookUp(addressKey(stackAddress(stackItem(step, 0))))
      if (opcode === Op.selfDestruct) this.#delete(addressKey(caller))
    } else if (CALLS.has(opcode)) {
      this.#lookUpCode(addressKey(stackAddress(stackItem(step, 1))))
    } else if (opcode === Op.create) {
      this.#lookUpCreation(creationAddress(this.#known, caller))
    } else if (opcode === Op.create2) {
      this.#lookUpCreation(creation2Address(this.#known, step))
    }
  }

  get #known(): TraceContext {
    if (this.#context === undefined) throw new Error('The transaction has not begun')
    return this.#context
  }

  #lookUp(key: AddressKey): PrestateAccount {
    const known = this.#pre.get(key)
    if (known !== undefined) return known
    const account = readAccount(this.#known.state, key)
    this.#budget.spend(ACCOUNT_SIZE + (this.#config.disableCode ? 0 : 2 * account.code.length))
    this.#pre.set(key, account)
    return account
  }

  /** The account, and the one whose code runs in its place (EIP-7702). */
  #lookUpCode(key: AddressKey): void {
    this.#lookUp(key)
    const { rules, state } = this.#known
    if (!rules.requests) return
    // As it is now: an authorization of this transaction may have changed it.
    const target = delegationTarget(readAccount(state, key).code)
    if (target !== undefined) this.#lookUp(target)
  }

  #lookUpCreation(key: AddressKey): void {
    this.#lookUp(key)
    this.#created.add(key)
  }

  #lookUpSlot(key: AddressKey, slot: SlotKey): void {
    if (this.#config.disableStorage) return
    const { storage } = this.#lookUp(key)
    if (storage.has(slot)) return
    this.#budget.spend(SLOT_SIZE)
    storage.set(slot, this.#slot(key, slot))
  }

  #slot(key: AddressKey, slot: SlotKey): bigint {
    return bytesToBigInt(this.#known.state.slot(key, slot))
  }

  /** Since Cancun only what the same transaction created goes away (EIP-6780). */
  #delete(key: AddressKey): void {
    const { hardfork } = this.#known.rules
    if (!isAtLeast(hardfork, 'cancun') || this.#created.has(key)) this.#deleted.add(key)
  }

  end(): void {
    if (this.#config.diffMode) for (const [key, before] of this.#pre) this.#compare(key, before)
    if (this.#config.includeEmpty) return
    for (const [key, account] of this.#pre) if (isEmpty(account)) this.#pre.delete(key)
  }

  #compare(key: AddressKey, before: PrestateAccount): void {
    // Shown as it was, and not afterwards.
    if (this.#deleted.has(key)) return
    const now = readAccount(this.#known.state, key)
    const changes: ShownAccount = {
      ...(now.balance === before.balance ? {} : { balance: now.balance }),
      ...(now.nonce === before.nonce ? {} : { nonce: now.nonce }),
      ...this.#newCode(before, now),
    }
    const { changed, storage } = this.#compareStorage(key, before.storage)
    if (changed || Object.keys(changes).length > 0) this.#post.set(key, { ...changes, storage })
    else this.#pre.delete(key)
  }

  #newCode(before: PrestateAccount, { code, codeHash }: PrestateAccount): ShownAccount {
    if (Buffer.compare(codeHash, before.codeHash) === 0) return {}
    if (this.#config.disableCode) return { codeHash }
    this.#budget.spend(2 * code.length)
    return { code, codeHash }
  }

  /** Leaves in `before` only the slots that changed and were not zero; answers those that are not zero now. */
  #compareStorage(key: AddressKey, before: Map<SlotKey, bigint>) {
    const storage = new Map<SlotKey, bigint>()
    let changed = false
    for (const [slot, value] of before) {
      const now = this.#slot(key, slot)
      if (now === value || value === 0n) before.delete(slot)
      if (now === value) continue
      changed = true
      if (now !== 0n) storage.set(slot, now)
    }
    return { changed, storage }
  }

  result(): string {
    const { diffMode, disableCode } = this.#config
    const pre = formatAll(this.#pre, (account) => shownBefore(account, disableCode))
    return JSON.stringify(
      diffMode ? { post: formatAll(this.#post, (account) => account), pre } : pre,
    )
  }
}

function formatAll<Account>(
  accounts: ReadonlyMap<AddressKey, Account>,
  show: (account: Account) => ShownAccount,
): object {
  return Object.fromEntries(
    [...accounts].map(([key, account]) => [addressHex(key), formatAccount(show(account))]),
  )
}

/** Without code where there is none, or where none is wanted. */
function shownBefore(account: PrestateAccount, disableCode: boolean): ShownAccount {
  const { code, codeHash, ...rest } = account
  if (code.length === 0) return rest
  return disableCode ? { ...rest, codeHash } : account
}
