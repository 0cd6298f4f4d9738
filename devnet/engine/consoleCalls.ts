import type { Message } from '@ethereumjs/evm'
import { fromHex } from '../primitives/hex.ts'

/** Address that Hardhat's console.sol calls: `console.log` in ASCII. It has no account. */
export const CONSOLE = fromHex('0x000000000000000000636f6e736f6c652e6c6f67')

const LAST_BYTE = CONSOLE[19]

/** Maximum calls recorded per execution, so that a loop cannot fill memory or the terminal. */
const MAX_CALLS = 1000

/** Maximum bytes of calldata recorded per execution. */
const MAX_BYTES = 262_144

export interface ConsoleCalls {
  /** Calldata of each call, in order, including those in frames that reverted. */
  readonly inputs: readonly Uint8Array[]
  /** Number of further calls, which were not recorded because of the limits. */
  readonly omitted: number
}

/** Records calls to `console.log`, which run as calls to an empty account. */
export class ConsoleRecorder {
  #inputs: Uint8Array[] = []
  #bytes = 0
  #omitted = 0

  see(message: Message): void {
    if (message.to === undefined) return
    const { bytes } = message.codeAddress
    // The last byte excludes nearly all other addresses.
    if (bytes[19] !== LAST_BYTE) return
    for (let index = 0; index < 19; index++) if (bytes[index] !== CONSOLE[index]) return
    this.add(message.data)
  }

  /** Records a call with this calldata, of which it keeps a copy. */
  add(data: Uint8Array): void {
    if (this.#inputs.length >= MAX_CALLS || this.#bytes + data.length > MAX_BYTES) {
      this.#omitted++
      return
    }
    this.#bytes += data.length
    // These bytes are the caller's memory.
    this.#inputs.push(data.slice())
  }

  /** Returns and forgets the recorded calls; `undefined` if there were none. */
  take(): ConsoleCalls | undefined {
    if (this.#inputs.length === 0 && this.#omitted === 0) return undefined
    const calls = { inputs: this.#inputs, omitted: this.#omitted }
    this.#inputs = []
    this.#bytes = 0
    this.#omitted = 0
    return calls
  }
}
