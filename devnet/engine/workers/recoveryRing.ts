import type { SignedMessage } from '../signedMessage.ts'

/** Slots; a power of two, so that the counters may overflow. */
const CAPACITY = 1024

/** Bytes of a slot: hash, signature, recovery id, validity, address, rest unused. */
const SLOT = 128
const SIGNATURE = 32
const RECOVERY_ID = 96
const VALID = 97
const ADDRESS = 98

/** Counters in front of the slots. */
const ASKED = 0
const ANSWERED = 1
const REST = 2
const GATE = 3
const COUNTERS = 64

/** What the worker does: it looks at the ring, waits at it, or has to be sent for. */
const AT_WORK = 0
const WAITING = 1
const ASLEEP = 2

/** ms that the worker waits for more before it sleeps: to send for it costs the node more. */
const LINGER = 2

/** States of the gate to native code; the node shuts it, the worker goes in and out. */
const OPEN = 0
const INSIDE = 1
const SHUT = 2
const LEFT = 3

/** ms that the node waits for the worker to leave native code: a call takes µs, loading ms. */
const PATIENCE = 1000

/** No recovery id; `recover` refuses it. */
const INVALID_ID = 255

/**
 * Memory that the node and the recovery worker share: signatures to recover, and the addresses in the same places.
 * A message for each would cost the node nearly as much as the recovery itself.
 */
export class RecoveryRing {
  readonly memory: SharedArrayBuffer
  readonly #counters: Int32Array
  readonly #bytes: Uint8Array

  /** @param memory - that of another ring, to work on the same slots */
  constructor(memory = new SharedArrayBuffer(COUNTERS + CAPACITY * SLOT)) {
    this.memory = memory
    this.#counters = new Int32Array(memory, 0, COUNTERS / 4)
    this.#bytes = new Uint8Array(memory, COUNTERS)
  }

  /**
   * Node: puts a message in, unless all slots are taken, and gets the worker to work on it.
   *
   * @param answersTaken - how many answers were taken so far
   * @param wake - makes the worker {@link serve}
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
    // To notify costs as much as half a recovery, also where nobody waits.
    const rest = Atomics.load(this.#counters, REST)
    if (rest === AT_WORK) return true
    Atomics.store(this.#counters, REST, AT_WORK)
    if (rest === ASLEEP) wake()
    else Atomics.notify(this.#counters, ASKED)
    return true
  }

  /** Node: whether the answer with this number is there. */
  isAnswered(number: number): boolean {
    return ((Atomics.load(this.#counters, ANSWERED) - number) | 0) > 0
  }

  /** Node: the 20 bytes with this number, or `undefined` where the signature is invalid. */
  answer(number: number): Uint8Array | undefined {
    const slot = place(number)
    if (this.#bytes[slot + VALID] !== 1) return undefined
    return new Uint8Array(this.#bytes.subarray(slot + ADDRESS, slot + ADDRESS + 20))
  }

  /**
   * Node: keeps the worker out of native code from now on, and waits until it has left. Must
   * precede the end of the worker's thread: Node-API refuses calls in a thread that is being ended,
   * and the native binding then aborts the process.
   */
  shut(): void {
    if (Atomics.exchange(this.#counters, GATE, SHUT) === INSIDE) {
      Atomics.wait(this.#counters, GATE, SHUT, PATIENCE)
    }
  }

  /** Worker: whether it may go into native code; it must then {@link leave}. */
  enter(): boolean {
    return Atomics.compareExchange(this.#counters, GATE, OPEN, INSIDE) === OPEN
  }

  /** Worker: is back from native code. */
  leave(): void {
    if (Atomics.compareExchange(this.#counters, GATE, INSIDE, OPEN) === INSIDE) return
    Atomics.store(this.#counters, GATE, LEFT)
    Atomics.notify(this.#counters, GATE)
  }

  /**
   * Worker: answers what is asked, until nothing is or the node shuts the ring. Never waits for
   * long: a thread that waits for shared memory cannot be ended at every moment.
   *
   * @param answered - how many answers were given before
   * @param recover - the 20 bytes, or `undefined` where the signature is invalid
   * @returns how many answers were given so far
   */
  serve(answered: number, recover: (message: SignedMessage) => Uint8Array | undefined): number {
    for (let number = answered; ; number = (number + 1) | 0) {
      if (!this.#isAsked(number)) {
        Atomics.store(this.#counters, REST, WAITING)
        Atomics.wait(this.#counters, ASKED, number, LINGER)
        Atomics.store(this.#counters, REST, ASLEEP)
        // Asked just now by a node that found it awake, or else it sends for the worker.
        if (!this.#isAsked(number)) return number
        Atomics.store(this.#counters, REST, AT_WORK)
      }
      if (!this.enter()) return number
      const slot = place(number)
      // Copied: native code does not take shared memory.
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
