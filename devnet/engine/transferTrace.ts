import type { EVMResult, Message } from '@ethereumjs/evm'
import type { RawLog } from './types.ts'

/**
 * Emitter of the logs that stand for transfers of ether (ERC-7528). Such a log holds this very object, by which it is
 * told from a log that a contract at this address emits.
 */
export const TRANSFER_EMITTER = new Uint8Array(20).fill(0xee)

/** keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = Uint8Array.from(
  Buffer.from('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', 'hex'),
)

const SELFDESTRUCT = 0xff

/** A transfer that a call frame began with, if it did. */
interface Frame {
  readonly from: Uint8Array
  /** `undefined` while the contract that the frame creates has no address yet. */
  readonly to: Uint8Array | undefined
  /** wei. */
  readonly value: bigint
}

/**
 * Puts a log for each transfer of ether among the logs of an execution: before those of the frame that it opens, and
 * after those of the frame that it destroys. What a frame adds goes with the frame when that reverts.
 */
export class TransferTrace {
  readonly #frames: (Frame | undefined)[] = []

  /** A frame begins. */
  enter(message: Message): void {
    const { to, caller, value } = message
    // CALLCODE and DELEGATECALL name the code beside the account; both move nothing.
    const moves = value > 0n && (to === undefined || message.codeAddress === to)
    this.#frames.push(moves ? { from: caller.bytes, to: to?.bytes, value } : undefined)
  }

  /** A frame is over; its logs are about to go to the one above. */
  leave({ execResult, createdAddress }: EVMResult): void {
    const frame = this.#frames.pop()
    if (execResult.exceptionError !== undefined) return
    const to = frame?.to ?? createdAddress?.bytes
    if (frame !== undefined && to !== undefined) {
      execResult.logs = [transferLog(frame.from, to, frame.value), ...(execResult.logs ?? [])]
    }
    const { runState } = execResult
    if (runState?.opCode !== SELFDESTRUCT) return
    const { address, contract } = runState.env
    const beneficiary = execResult.selfdestruct?.get(address.toString())
    // The library keeps the account as it was before the opcode took its balance.
    if (beneficiary === undefined || contract.balance === 0n) return
    const heir = Buffer.from(beneficiary.slice(2), 'hex')
    execResult.logs = [
      ...(execResult.logs ?? []),
      transferLog(address.bytes, heir, contract.balance),
    ]
  }
}

/** In the library's form: it types its logs as mutable. */
function transferLog(
  from: Uint8Array,
  to: Uint8Array,
  value: bigint,
): [Uint8Array, Uint8Array[], Uint8Array] {
  const amount = Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
  return [TRANSFER_EMITTER, [TRANSFER_TOPIC, word(from), word(to)], Uint8Array.from(amount)]
}

/** An address on 32 bytes. */
function word(address: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes.set(address, 12)
  return bytes
}

/** Whether a log stands for a transfer, rather than coming from a contract. */
export function isTransferLog([emitter]: RawLog): boolean {
  return emitter === TRANSFER_EMITTER
}
