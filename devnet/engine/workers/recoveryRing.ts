import type { SignedMessage } from '../signedMessage.ts'

/** Number of slots; a power of two, so that the counters may overflow. */
const CAPACITY = 1024

/** Bytes of a slot, and offsets of its fields. The hash is at 0; the end is unused. */
const SLOT = 128
const SIGNATURE = 32
const RECOVERY_ID = 96
const VALID = 97
const ADDRESS = 98

/** Indexes of the counters, which precede the slots, and the bytes reserved for them. */
const ASKED = 0
const ANSWERED = 1
const REST = 2
const GATE = 3
const COUNTERS = 64

/** Values of `REST`: the worker polls the ring, waits on it, or must be woken by a message. */
const AT_WORK = 0
const WAITING = 1
const ASLEEP = 2

/** ms that the worker waits on the ring before it sleeps: waking it by a message costs more. */
const LINGER = 2

/** Values of `GATE`, a lock on native code: the node shuts it, the worker enters and leaves. */
const OPEN = 0
const INSIDE = 1
const SHUT = 2
const LEFT = 3

/** Maximum ms to wait until the worker leaves native code; a call takes µs, loading takes ms. */
const PATIENCE = 1000

/** Replaces an invalid recovery id, because an id has one byte; `recover` refuses it. */
const INVALID_ID = 255

/**
 * Memory shared by the node and the recovery worker. A slot holds a signature and, once recovered,
 * its address: a message for each would cost the node nearly as much as the recovery itself.
 * `Node:` and `Worker:` tell which side calls a method.
 */
export class RecoveryRing {
  readonly memory: SharedArrayBuffer
  readonly #counters: Int32Array
  readonly #bytes: Uint8Array

  /** @param memory - memory of another ring, to share its slots; default: new memory */
  constructor(memory = new SharedArrayBuffer(COUNTERS + CAPACITY * SLOT)) {
    this.memory = memory
    this.#counters = new Int32Array(memory, 0, COUNTERS / 4)
    this.#bytes = new Uint8Array(memory, COUNTERS)
  }

  /**
   * Node: adds a message and wakes the worker; returns false if all slots are taken.
   *
   * @param answersTaken - number of results that the node has read so far
   * @param wake - sends the worker a message, on which it must call {@link serve}
   */
  ask(
    { hash, signature, recoveryId }: SignedMessage,
    answersTaken: number,
    wake: () => void,
  ): boolean {
    const asked = Atomics.load(this.#counters, ASKED)
    if (((asked - answersTaken) | 0) >= CAPACITY) return false
    const slot = place(asked)
    this.#bytes.set(hash, slot)
    this.#bytes.set(signature, slot + SIGNATURE)
    this.#bytes[slot + RECOVERY_ID] = recoveryId >= 0 && recoveryId <= 3 ? recoveryId : INVALID_ID
    Atomics.store(this.#counters, ASKED, (asked + 1) | 0)
    // A worker at work is not notified: a notification costs half as much as a recovery.
    const rest = Atomics.load(this.#counters, REST)
    if (rest === AT_WORK) return true
    Atomics.store(this.#counters, REST, AT_WORK)
    if (rest === ASLEEP) wake()
    else Atomics.notify(this.#counters, ASKED)
    return true
  }

  /** Node: whether the result of this message is ready. */
  isAnswered(number: number): boolean {
    return ((Atomics.load(this.#counters, ANSWERED) - number) | 0) > 0
  }

  /** Node: the 20-byte address of this message, or `undefined` if the signature is invalid. */
  answer(number: number): Uint8Array | undefined {
    const slot = place(number)
    if (this.#bytes[slot + VALID] !== 1) return undefined
    return new Uint8Array(this.#bytes.subarray(slot + ADDRESS, slot + ADDRESS + 20))
  }

  /**
   * Node: keeps the worker out of native code from now on, and waits until it has left. Call it
   * before ending the worker's thread: Node-API refuses calls in a thread that is being terminated,
   * and the native binding then aborts the process.
   */
  shut(): void {
    if (Atomics.exchange(this.#counters, GATE, SHUT) === INSIDE) {
      Atomics.wait(this.#counters, GATE, SHUT, PATIENCE)
    }
  }

  /** Worker: whether it may call native code; if so, it must {@link leave} afterwards. */
  enter(): boolean {
    return Atomics.compareExchange(this.#counters, GATE, OPEN, INSIDE) === OPEN
  }

  /** Worker: reports that it has left native code. */
  leave(): void {
    if (Atomics.compareExchange(this.#counters, GATE, INSIDE, OPEN) === INSIDE) return
    Atomics.store(this.#counters, GATE, LEFT)
    Atomics.notify(this.#counters, GATE)
  }

  /**
   * Worker: processes messages until there are none or the node shuts the ring. Never waits long: a
   * thread that waits for shared memory cannot always be terminated.
   *
   * @param answered - number of messages processed before
   * @param recover - returns the 20-byte address, or `undefined` if the signature is invalid
   * @returns number of messages processed so far
   */
  serve(answered: number, recover: (message: SignedMessage) => Uint8Array | undefined): number {
    for (let number = answered; ; number = (number + 1) | 0) {
      if (!this.#isAsked(number)) {
        Atomics.store(this.#counters, REST, WAITING)
        Atomics.wait(this.#counters, ASKED, number, LINGER)
        Atomics.store(this.#counters, REST, ASLEEP)
        // A message added before `ASLEEP` was stored has not woken the worker: look once more.
        if (!this.#isAsked(number)) return number
        Atomics.store(this.#counters, REST, AT_WORK)
      }
      if (!this.enter()) return number
      const slot = place(number)
      // Copies: native code does not accept shared memory.
      const address = recover({
        hash: this.#bytes.slice(slot, slot + SIGNATURE),
        signature: this.#bytes.slice(slot + SIGNATURE, slot + RECOVERY_ID),
        recoveryId: this.#bytes[slot + RECOVERY_ID] ?? INVALID_ID,
      })
      this.leave()
      this.#bytes[slot + VALID] = address === undefined ? 0 : 1
      if (address !== undefined) this.#bytes.set(address, slot + ADDRESS)
      Atomics.store(this.#counters, ANSWERED, (number + 1) | 0)
    }
  }

  #isAsked(number: number): boolean {
    return Atomics.load(this.#counters, ASKED) !== number
  }
}

function place(number: number): number {
  return (number & (CAPACITY - 1)) * SLOT
}
