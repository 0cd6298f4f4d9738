import { type Access, NAME_FIRST, NAME_SECOND } from '../engine/accessWatch.ts'
import type { PrestateConfig } from '../json/schemas/tracerChoice.ts'
import { bigIntTo32Bytes, bytesToBigInt } from '../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import { isAtLeast } from '../protocol/forks.ts'
import { Op } from '../protocol/opcodes.ts'
import { EMPTY_CODE_HASH, isDelegation } from '../state/codes.ts'
import { addressHex, addressKey, slotHex, slotKeyFromBigInt } from '../state/keys.ts'
import type { AddressKey, SlotKey, StateReader } from '../state/types.ts'
import {
  creation2Address,
  creationAddress,
  stackAddress,
  type TraceBudget,
  type TraceContext,
  type Tracer,
} from './tracer.ts'

/** An account before a transaction first accessed it. */
interface PrestateAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly codeHash: Uint8Array
  readonly storage: Map<SlotKey, bigint>
}

/** The fields of an account that are shown: all of them, or those that have changed. */
type ShownAccount = Partial<PrestateAccount>

/** Approximate bytes of an account in JSON, before and after together, without its code. */
const ACCOUNT_SIZE = 500
/** Approximate bytes of a slot in JSON, before and after together. */
const SLOT_SIZE = 300

/** Accounts and slots that a transaction accessed, as they were before: geth's `prestateTracer`. */
export class PrestateTracer implements Tracer {
  readonly isLight = true
  readonly #config: PrestateConfig
  readonly #budget: TraceBudget
  readonly #pre = new Map<AddressKey, PrestateAccount>()
  readonly #post = new Map<AddressKey, ShownAccount>()
  readonly #created = new Set<AddressKey>()
  readonly #deleted = new Set<AddressKey>()
  /** Functions that undo the last access. */
  readonly #undo: (() => void)[] = []
  #leftBefore = 0
  #started: TraceContext | undefined

  constructor(config: PrestateConfig, budget: TraceBudget) {
    this.#config = config
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#started = context
    const { tx, block, signers } = context
    const from = addressKey(tx.from)
    if (tx.to === undefined) this.#addCreated(creationAddress(context, from))
    else this.#addCode(addressKey(tx.to))
    this.#add(from)
    this.#add(addressKey(block.coinbase))
    for (const signer of signers) this.#add(signer)
  }

  access(access: Access): void {
    this.#undo.length = 0
    this.#leftBefore = this.#budget.left
    const { opcode, self, operand } = access
    if (opcode === Op.sload || opcode === Op.sstore) {
      this.#addSlot(self, slotKeyFromBigInt(operand(0)))
    } else if (NAME_FIRST.has(opcode)) {
      this.#add(addressKey(stackAddress(operand(0))))
      if (opcode === Op.selfDestruct) this.#delete(self)
    } else if (NAME_SECOND.has(opcode)) {
      this.#addCode(addressKey(stackAddress(operand(1))))
    } else if (opcode === Op.create) {
      this.#addCreated(creationAddress(this.#context, self))
    } else if (opcode === Op.create2) {
      this.#addCreated(creation2Address(this.#context, access))
    }
  }

  undoAccess(): void {
    for (const undo of this.#undo) undo()
    this.#undo.length = 0
    this.#budget.left = this.#leftBefore
  }

  get #context(): TraceContext {
    if (this.#started === undefined) throw new Error('No transaction has begun')
    return this.#started
  }

  #add(key: AddressKey): PrestateAccount {
    const known = this.#pre.get(key)
    if (known !== undefined) return known
    const account = readAccount(this.#context.state, key)
    this.#budget.spend(ACCOUNT_SIZE + (this.#config.disableCode ? 0 : 2 * account.code.length))
    this.#pre.set(key, account)
    this.#undo.push(() => this.#pre.delete(key))
    return account
  }

  /** Adds the account, and the one that it delegates to (EIP-7702). */
  #addCode(key: AddressKey): void {
    this.#add(key)
    const { rules, state } = this.#context
    if (!rules.requests) return
    // The code is read again: an authorization of this transaction may have changed it.
    const { code } = readAccount(state, key)
    if (isDelegation(code)) this.#add(addressKey(code.subarray(-20)))
  }

  #addCreated(key: AddressKey): void {
    this.#add(key)
    addNew(this.#created, key, this.#undo)
  }

  #addSlot(key: AddressKey, slot: SlotKey): void {
    if (this.#config.disableStorage) return
    const { storage } = this.#add(key)
    if (storage.has(slot)) return
    this.#budget.spend(SLOT_SIZE)
    storage.set(slot, this.#readSlot(key, slot))
    this.#undo.push(() => storage.delete(slot))
  }

  #readSlot(key: AddressKey, slot: SlotKey): bigint {
    return bytesToBigInt(this.#context.state.slot(key, slot))
  }

  /** Since Cancun only contracts that the same transaction created are deleted (EIP-6780). */
  #delete(key: AddressKey): void {
    const { hardfork } = this.#context.rules
    if (!isAtLeast(hardfork, 'cancun') || this.#created.has(key)) {
      addNew(this.#deleted, key, this.#undo)
    }
  }

  end(): void {
    if (this.#config.diffMode) for (const [key, before] of this.#pre) this.#compare(key, before)
    if (this.#config.includeEmpty) return
    for (const [key, { balance, nonce, code }] of this.#pre) {
      if (balance === 0n && nonce === 0n && code.length === 0) this.#pre.delete(key)
    }
  }

  #compare(key: AddressKey, before: PrestateAccount): void {
    // A deleted account is shown only as it was before.
    if (this.#deleted.has(key)) return
    const now = readAccount(this.#context.state, key)
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

  /**
   * Compares slots with their present values. Removes from `before` those that are unchanged or
   * were zero.
   *
   * @returns whether any slot has changed, and the changed slots that are not zero now
   */
  #compareStorage(key: AddressKey, before: Map<SlotKey, bigint>) {
    const storage = new Map<SlotKey, bigint>()
    let changed = false
    for (const [slot, value] of before) {
      const now = this.#readSlot(key, slot)
      if (now === value || value === 0n) before.delete(slot)
      if (now === value) continue
      changed = true
      if (now !== 0n) storage.set(slot, now)
    }
    return { changed, storage }
  }

  *result(): Paced<string[]> {
    const { diffMode, disableCode } = this.#config
    const pre = yield* formatAll(this.#pre, (account) => shownBefore(account, disableCode))
    if (!diffMode) return yield* stringifyJson(pre)
    return yield* stringifyJson({ post: yield* formatAll(this.#post, (account) => account), pre })
  }
}

/** The account as it is now; an account that does not exist reads as empty. */
function readAccount(state: StateReader, key: AddressKey): PrestateAccount {
  const { balance = 0n, nonce = 0n, codeHash = EMPTY_CODE_HASH } = state.account(key) ?? {}
  return { balance, nonce, code: state.code(codeHash), codeHash, storage: new Map() }
}

function addNew<Item>(items: Set<Item>, item: Item, undo: (() => void)[]): void {
  if (items.has(item)) return
  items.add(item)
  undo.push(() => items.delete(item))
}

function* formatAll<Account>(
  accounts: ReadonlyMap<AddressKey, Account>,
  show: (account: Account) => ShownAccount,
): Paced<object> {
  const formatted: Record<Hex, object> = {}
  for (const [key, account] of accounts) {
    formatted[addressHex(key)] = formatAccount(show(account))
    yield
  }
  return formatted
}

/** The account without empty code; without any code if `disableCode`. */
function shownBefore(account: PrestateAccount, disableCode: boolean): ShownAccount {
  const { code, codeHash, ...rest } = account
  if (code.length === 0) return rest
  return disableCode ? { ...rest, codeHash } : account
}

/** geth's form: leaves out zero nonces and empty storage, but not zero balances or removed code. */
function formatAccount({ balance, code, codeHash, nonce, storage }: ShownAccount): object {
  return {
    balance: balance === undefined ? undefined : quantity(balance),
    code: code === undefined ? undefined : toHex(code),
    codeHash: codeHash === undefined ? undefined : toHex(codeHash),
    nonce: nonce === undefined || nonce === 0n ? undefined : Number(nonce),
    storage:
      storage === undefined || storage.size === 0
        ? undefined
        : Object.fromEntries(
            [...storage].map(([slot, value]) => [slotHex(slot), toHex(bigIntTo32Bytes(value))]),
          ),
  }
}
