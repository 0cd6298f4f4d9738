import { setImmediate as turn } from 'node:timers/promises'
import { isEmptyAccount } from '../../devnet/state/accounts.ts'
import type {
  RemoteAccount,
  RemoteKeys,
  RemoteSource,
  RemoteValues,
  UpstreamError,
} from '../../devnet/state/remote/remoteSource.ts'
import type { AddressKey, SlotKey, StateReader } from '../../devnet/state/types.ts'

/** A fork block's state in memory, which answers after a turn of the event loop, or not at all. */
export class MemorySource implements RemoteSource {
  readonly #state: StateReader | undefined
  readonly accounts = new Map<AddressKey, RemoteAccount>()
  readonly slots = new Map<string, Uint8Array>()
  readonly hashes = new Map<bigint, Uint8Array>()
  /** What was asked for, in order. */
  readonly asked: RemoteKeys[] = []
  /** Errors by account key, or by account and slot key, that stand for their values. */
  readonly faults = new Map<string, UpstreamError>()
  /** Rejects everything. */
  failure: Error | undefined
  /** Awaited before each answer. */
  delay: () => Promise<unknown> = () => turn()

  /** @param state - values that are not set here; default: the empty state */
  constructor(state?: StateReader) {
    this.#state = state
  }

  setSlot(key: AddressKey, slot: SlotKey, value: Uint8Array): void {
    this.slots.set(key + slot, value)
  }

  async load(keys: RemoteKeys): Promise<RemoteValues> {
    this.asked.push(keys)
    await this.delay()
    if (this.failure !== undefined) throw this.failure
    return {
      accounts: keys.accounts.map((key) => {
        return this.faults.get(key) ?? this.accounts.get(key) ?? this.#account(key)
      }),
      slots: keys.slots.map(([key, slot]) => {
        const own = this.faults.get(key + slot) ?? this.slots.get(key + slot)
        return own ?? this.#state?.slot(key, slot) ?? new Uint8Array(0)
      }),
    }
  }

  #account(key: AddressKey): RemoteAccount | null {
    const record = this.#state?.account(key) ?? null
    if (record === null || isEmptyAccount(record)) return null
    const { nonce, balance, codeHash } = record
    return { nonce, balance, code: this.#state?.code(codeHash) ?? new Uint8Array(0) }
  }

  async blockHash(number: bigint): Promise<Uint8Array> {
    await this.delay()
    if (this.failure !== undefined) throw this.failure
    return this.hashes.get(number) ?? new Uint8Array(32)
  }
}
