import type { EVMResult, Message } from '@ethereumjs/evm'
import { bigIntTo32Bytes, padTo32 } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import { Op } from '../protocol/opcodes.ts'
import type { RawLog } from '../protocol/receipt.ts'
import { SYSTEM_ADDRESS } from '../protocol/systemContracts.ts'
import type { Log } from './library/evmInternals.ts'

/**
 * Emitter of logs for transfers of ether (ERC-7528). Compared by identity, to tell such a log from
 * one that a contract at this address emits.
 */
const TRANSFER_EMITTER = new Uint8Array(20).fill(0xee)

/** keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

interface Frame {
  readonly from: Uint8Array
  /** `undefined` if the frame creates a contract, whose address is not known yet. */
  readonly to: Uint8Array | undefined
  /** wei. */
  readonly value: bigint
}

/**
 * Adds a log for each transfer of ether to the logs of an execution. The log for a call's value
 * precedes the logs of its frame; the log for a SELFDESTRUCT follows them. A frame that reverts
 * loses these logs too.
 */
export class TransferTrace {
  readonly #frames: (Frame | undefined)[] = []

  enter(message: Message): void {
    const { to, caller, value } = message
    // CALLCODE and DELEGATECALL run another account's code and transfer nothing.
    const moves = value > 0n && (to === undefined || message.codeAddress === to)
    this.#frames.push(moves ? { from: caller.bytes, to: to?.bytes, value } : undefined)
  }

  /**
   * Called before the logs of the frame are added to its caller's.
   *
   * @returns how many transfers the frame takes back because it failed
   */
  leave({ execResult, createdAddress }: EVMResult): number {
    const frame = this.#frames.pop()
    if (execResult.exceptionError !== undefined) return frame === undefined ? 0 : 1
    const to = frame?.to ?? createdAddress?.bytes
    if (frame !== undefined && to !== undefined) {
      execResult.logs = [transferLog(frame.from, to, frame.value), ...(execResult.logs ?? [])]
    }
    const { runState } = execResult
    if (runState?.opCode !== Op.selfDestruct) return 0
    const { address, contract } = runState.env
    const beneficiary = execResult.selfdestruct?.get(address.toString())
    // `contract` is the account as it was before the opcode took its balance.
    if (beneficiary === undefined || contract.balance === 0n) return 0
    const log = transferLog(address.bytes, fromHex(beneficiary), contract.balance)
    execResult.logs = [...(execResult.logs ?? []), log]
    return 0
  }
}

export function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  return [TRANSFER_EMITTER, [TRANSFER_TOPIC, padTo32(from), padTo32(to)], bigIntTo32Bytes(value)]
}

/** The log that a transfer of ether emits from Amsterdam on (EIP-7708). */
export function systemTransferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  return [SYSTEM_ADDRESS, [TRANSFER_TOPIC, padTo32(from), padTo32(to)], bigIntTo32Bytes(value)]
}

/** True if {@link TransferTrace} added the log. */
export function isTransferLog([emitter]: RawLog): boolean {
  return emitter === TRANSFER_EMITTER
}
