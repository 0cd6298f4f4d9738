import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ACCOUNT_STATE_GAS } from '../../protocol/gas.ts'
import { Op } from '../../protocol/opcodes.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import { increased } from '../../state/accounts.ts'
import { EXIT_OUT_OF_GAS, EXIT_STOP, WORD } from '../core/layout.ts'
import { balance, codeCopy, codeHash, codeSize, selfBalance } from './accountOpcodes.ts'
import { call } from './calls.ts'
import { create } from './creations.ts'
import { DONE, STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { Suspension } from './journal.ts'
import { setStackTop, stackTop } from './stack.ts'
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
      if (opcode < Op.log0 || opcode > Op.log4) throw new Error(`Not for the host: ${opcode}`)
      return log(frames, f, frame, opcode - Op.log0)
  }
}

/** BLOCKHASH: 0 for a block that is not one of the last 256. */
function blockHash({ core, surroundings, fetchedHashes }: Frames, f: number): number {
  const { block, blockHashes } = surroundings
  const at = stackTop(core, f) - 32
  const number = core.word(at)
  const age = block.number - number
  if (age <= 0n || age > 256n) {
    core.setSmallWord(at, 0)
    return DONE
  }
  const hash = fetchedHashes.get(number) ?? blockHashes(number)
  if (hash instanceof Promise) {
    const keep = (fetched: Uint8Array) => void fetchedHashes.set(number, fetched)
    throw new Suspension(hash.then(keep))
  }
  core.setBytes(at, hash)
  return DONE
}

/** BLOBHASH (EIP-4844): 0 beyond the last blob. */
function blobHash({ core, surroundings }: Frames, f: number): number {
  const at = stackTop(core, f) - 32
  const hash = surroundings.blobHashes[core.smallWord(at)]
  core.setWord(at, hash === undefined ? 0n : BigInt(hash))
  return DONE
}

/** Per byte. */
const DATA_GAS = 8

/** LOG0 to LOG4. The core has charged the gas of the topics. */
function log(frames: Frames, f: number, frame: Frame, topicCount: number): number {
  const { core } = frames
  if (frame.isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  if (!core.useMemory(f, top - 32, top - 64, 0, DATA_GAS)) return EXIT_OUT_OF_GAS
  const { logItems } = frames
  const { output, outputLength } = core
  const data =
    outputLength === WORD
      ? logItems.shared(output, WORD)
      : core.u8.slice(output, output + outputLength)
  // Not by pushes, which reserve 16 more elements.
  const topics = new Array<Uint8Array>(topicCount)
  for (let index = 0; index < topicCount; index++) {
    topics[index] = logItems.sharedWord(top - 96 - 32 * index)
  }
  const emitted: RawLog = [logItems.sharedBytes(frame.self.bytes), topics, data]
  frames.addLog(emitted)
  frames.surroundings.hook?.log?.(emitted)
  setStackTop(core, f, top - 64 - 32 * topicCount)
  return DONE
}

/** Refund of the first SELFDESTRUCT of a contract, until London (EIP-3529). */
const REFUND = 24_000

/** Besides the access to the heir, and the account that it may become (EIP-150). */
const SELF_DESTRUCT_GAS = 5000

/** SELFDESTRUCT. Since Cancun it removes only contracts of the same transaction (EIP-6780). */
function selfDestruct(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal, gas, rules } = frames
  if (isStatic) return STATIC_CHANGE
  const heir = journal.account(core.addressKey(stackTop(core, f) - 32))
  const { balance } = self
  const needsAccount = balance > 0n && heir.isEmpty
  const cold = journal.warmAccount(heir)
  if (!core.charge(f, SELF_DESTRUCT_GAS + (cold ? gas.coldAccount : 0))) return EXIT_OUT_OF_GAS
  heir.accessed = true
  if (needsAccount) {
    if (!core.charge(f, gas.newHeir)) return EXIT_OUT_OF_GAS
    if (rules.stateGas && !frames.state.charge(core, f, ACCOUNT_STATE_GAS)) return EXIT_OUT_OF_GAS
  }
  if (!self.destroyed && !rules.baseFee) frames.refund += REFUND
  if (rules.transferLogs && heir !== self && balance > 0n) {
    frames.addTransferLog(self, heir, balance)
  }
  const { hook } = frames.surroundings
  if (hook !== undefined) {
    const [kind, nothing] = ['SELFDESTRUCT', () => EMPTY_BYTES] as const
    const call = { kind, from: self.key, to: heir.key, value: balance, gas: 0, input: nothing }
    hook.enter(call, frames.addLog)
    hook.leave({ kind, failure: undefined, opcode: () => undefined, gasUsed: 0, output: nothing })
  }
  journal.change(self)
  self.destroyed = true
  if (heir !== self) {
    journal.setBalance(heir, increased(heir.balance, balance))
    self.balance = 0n
  } else if (!rules.transferLogs && (!rules.blobs || self.created)) {
    // The ether of a contract that names itself is burnt with it, until EIP-8246.
    self.balance = 0n
  }
  return EXIT_STOP
}
