import { setImmediate as turn } from 'node:timers/promises'
import type {
  RemoteAccount,
  RemoteKeys,
  RemoteSource,
  RemoteValues,
  UpstreamError,
} from '../../devnet/state/remote/remoteSource.ts'
import type { AddressKey, SlotKey } from '../../devnet/state/types.ts'

/** A fork block's state in memory, which answers after a turn of the event loop, or not at all. */
export class MemorySource implements RemoteSource {
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

  setSlot(key: AddressKey, slot: SlotKey, value: Uint8Array): void {
    this.slots.set(key + slot, value)
  }

  async load(keys: RemoteKeys): Promise<RemoteValues> {
    this.asked.push(keys)
    await this.delay()
    if (this.failure !== undefined) throw this.failure
    return {
      accounts: keys.accounts.map((key) => this.faults.get(key) ?? this.accounts.get(key) ?? null),
      slots: keys.slots.map(([key, slot]) => {
        return this.faults.get(key + slot) ?? this.slots.get(key + slot) ?? new Uint8Array(0)
      }),
    }
  }

  async blockHash(number: bigint): Promise<Uint8Array> {
    await this.delay()
    if (this.failure !== undefined) throw this.failure
    return this.hashes.get(number) ?? new Uint8Array(32)
  }
}
