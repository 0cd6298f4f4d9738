import type { EVMResult, Message } from '@ethereumjs/evm'
import { fromHex } from '../primitives/hex.ts'
import type { Halt } from '../protocol/halt.ts'
import { Op } from '../protocol/opcodes.ts'
import type { InnerFrames } from '../protocol/receipt.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import type { FrameHook, OpenedFrame } from './fast/hooks.ts'
import { toHalt } from './library/libraryWords.ts'

/** Results that are remembered: most transactions with inner frames touch what others touched. */
const REMEMBERED = 1024

interface OpenFrame {
  /** Number of contracts that inner frames had created when it opened. */
  readonly mark: number
  /** Only of a creation by the library, which names the contract when the frame ends. */
  readonly creator: AddressKey | undefined
  /** Only of a creation by the fast engine. */
  readonly contract: AddressKey | undefined
}

/** A creation at an address that is taken begins no frame: so the library from Amsterdam on. */
const COLLISION: Halt = 'createCollision'

/** Notes what the inner frames of one transaction at a time touch; both engines feed it. */
export class InnerFrameRecorder implements FrameHook {
  readonly hearsOutermost = false
  #touched = new Set<AddressKey>()
  /** The address of a contract, then that of its creator. */
  readonly #created: string[] = []
  readonly #open: OpenFrame[] = []
  readonly #known = new Map<string, InnerFrames>()

  begin(): void {
    // Checked first: most transactions have no inner frames, and clearing costs more than a look.
    if (this.#touched.size > 0) this.#touched = new Set()
    if (this.#created.length > 0) this.#created.length = 0
    if (this.#open.length > 0) this.#open.length = 0
  }

  enter({ kind, from, to }: Pick<OpenedFrame, 'kind' | 'from' | 'to'>): void {
    const contract = kind === 'CREATE' || kind === 'CREATE2' ? to : undefined
    this.#open.push({ mark: this.#created.length, creator: undefined, contract })
    if (contract === undefined) this.#touched.add(to)
    else this.#created.push(to + from)
  }

  /** A frame ends. @param failure - `undefined` on success */
  leave({ failure }: { readonly failure: unknown }): void {
    const { mark = 0, contract } = this.#open.pop() ?? {}
    if (failure !== undefined) this.#created.length = mark
    if (contract !== undefined && failure !== COLLISION) this.#touched.add(contract)
  }

  see(message: Message): void {
    const { depth, to, caller } = message
    if (depth === 0) {
      this.begin()
      return
    }
    if (to !== undefined) this.#touched.add(addressKey(message.codeAddress.bytes))
    const creator = to === undefined ? addressKey(caller.bytes) : undefined
    this.#open.push({ mark: this.#created.length, creator, contract: undefined })
  }

  /** A frame of the library ends. */
  seeEnd({ execResult, createdAddress }: EVMResult): void {
    const creator = this.#open.at(-1)?.creator
    this.leave({ failure: execResult.exceptionError })
    const isTaken = execResult.exceptionError && toHalt(execResult.exceptionError) === COLLISION
    if (creator !== undefined && createdAddress !== undefined && !isTaken) {
      const created = addressKey(createdAddress.bytes)
      this.#touched.add(created)
      if (execResult.exceptionError === undefined) this.#created.push(created + creator)
    }
    const { runState, exceptionError } = execResult
    if (exceptionError !== undefined || runState?.opCode !== Op.selfDestruct) return
    const heir = execResult.selfdestruct?.get(runState.env.address.toString())
    if (heir !== undefined) this.#touched.add(addressKey(fromHex(heir)))
  }

  /**
   * The notes on the transaction, which is then forgotten; `undefined` if it touched no others than
   * these two.
   *
   * @param failure - why it failed; `undefined` on success
   */
  take(
    sender: AddressKey,
    recipient: AddressKey,
    failure: Halt | undefined,
  ): InnerFrames | undefined {
    const touched = this.#touched
    if (touched.size === 0) return undefined
    touched.delete(sender)
    touched.delete(recipient)
    const created = failure === undefined ? this.#created.sort().join('') : ''
    const found =
      touched.size === 0 ? undefined : this.#shared([...touched].sort().join(''), created)
    this.begin()
    return found
  }

  #shared(touched: string, created: string): InnerFrames {
    // A new contract is touched by one transaction alone.
    if (created !== '') return { touched, created }
    const known = this.#known.get(touched)
    if (known !== undefined) return known
    if (this.#known.size >= REMEMBERED) this.#known.clear()
    const frames = { touched, created }
    this.#known.set(touched, frames)
    return frames
  }
}
