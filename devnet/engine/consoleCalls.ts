import type { Message } from '@ethereumjs/evm'

/** Where Hardhat's console.sol sends what it prints; its last bytes are `console.log` in ASCII. No account is there. */
const CONSOLE = Uint8Array.from(Buffer.from('000000000000000000636f6e736f6c652e6c6f67', 'hex'))

const LAST_BYTE = CONSOLE[19]

/** Most calls that one execution can print: a loop must not fill the memory or the terminal. */
const MOST_CALLS = 1000

/** Most bytes that one execution can print. */
const MOST_BYTES = 262_144

/** What one execution sent to the console. */
export interface ConsoleCalls {
  /** Calldata of each call, in order, those of frames that reverted included. */
  readonly inputs: readonly Uint8Array[]
  /** Calls beyond those that are kept. */
  readonly omitted: number
}

/** Notes the calls of `console.log`, and changes nothing about them: gas and outcome are those of an empty account. */
export class ConsoleRecorder {
  #inputs: Uint8Array[] = []
  #bytes = 0
  #omitted = 0

  /** Looks at a call that is about to run. */
  see(message: Message): void {
    if (message.to === undefined) return
    const { bytes } = message.codeAddress
    // For nearly every other address that is all.
    if (bytes[19] !== LAST_BYTE) return
    for (let index = 0; index < 19; index++) if (bytes[index] !== CONSOLE[index]) return
    const { data } = message
    if (this.#inputs.length >= MOST_CALLS || this.#bytes + data.length > MOST_BYTES) {
      this.#omitted++
      return
    }
    this.#bytes += data.length
    // A copy: these bytes are the caller's memory, which goes on changing.
    this.#inputs.push(data.slice())
  }

  /** What was printed since it was last asked; `undefined` for nothing. */
  take(): ConsoleCalls | undefined {
    if (this.#inputs.length === 0 && this.#omitted === 0) return undefined
    const calls = { inputs: this.#inputs, omitted: this.#omitted }
    this.#inputs = []
    this.#bytes = 0
    this.#omitted = 0
    return calls
  }
}
