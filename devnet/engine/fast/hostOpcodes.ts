import { Op } from '../../protocol/opcodes.ts'
import { balance, codeCopy, codeHash, codeSize, selfBalance } from './accountOpcodes.ts'
import { blobHash, blockHash } from './blockOpcodes.ts'
import { call } from './calls.ts'
import { create } from './creations.ts'
import type { Frame, Frames } from './frames.ts'
import { log } from './logOpcodes.ts'
import { selfDestruct } from './selfDestruct.ts'
import { load, loadTransient, store, storeTransient } from './storageOpcodes.ts'

/**
 * Runs an opcode of the host, whose static gas the core has charged.
 *
 * @returns how it ended: `DONE`, a frame or precompile that it entered, or the exit of its frame
 * @throws {Suspension} if a value has to be fetched first; the opcode must then run again
 */
export function runHostOpcode(frames: Frames, f: number, frame: Frame, opcode: number): number {
  switch (opcode) {
    case Op.sload:
      return load(frames, f, frame)
    case Op.sstore:
      return store(frames, f, frame)
    case Op.call:
    case Op.callCode:
    case Op.delegateCall:
    case Op.staticCall:
      return call(frames, f, frame, opcode)
    case Op.balance:
      return balance(frames, f)
    case Op.selfBalance:
      return selfBalance(frames, f, frame)
    case Op.extCodeSize:
      return codeSize(frames, f)
    case Op.extCodeCopy:
      return codeCopy(frames, f)
    case Op.extCodeHash:
      return codeHash(frames, f)
    case Op.blockHash:
      return blockHash(frames, f)
    case Op.blobHash:
      return blobHash(frames, f)
    case Op.tload:
      return loadTransient(frames, f, frame)
    case Op.tstore:
      return storeTransient(frames, f, frame)
    case Op.create:
    case Op.create2:
      return create(frames, f, frame, opcode)
    case Op.selfDestruct:
      return selfDestruct(frames, f, frame)
    default:
      if (opcode < Op.log0 || opcode > Op.log4) throw new Error(`Not the host's: ${opcode}`)
      return log(frames, f, frame, opcode - Op.log0)
  }
}
