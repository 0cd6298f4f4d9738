import { concatBytes } from '../../primitives/bytes.ts'
import { initCodeLimit } from '../../protocol/forks.ts'
import { ACCOUNT_STATE_GAS, CODE_BYTE_STATE_GAS } from '../../protocol/gas.ts'
import type { Halt } from '../../protocol/halt.ts'
import { Op } from '../../protocol/opcodes.ts'
import { createdAddress, MAX_NONCE } from '../../protocol/transaction.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKey } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import type { Core } from '../core/core.ts'
import { EXIT_OUT_OF_GAS, EXIT_RETURN } from '../core/layout.ts'
import {
  CODE_SIZE,
  CREATE_COLLISION,
  DONE,
  INIT_CODE_SIZE,
  INVALID_CODE,
  STATIC_CHANGE,
} from './exits.ts'
import type { Call, Frame, Frames } from './frames.ts'
import { allButOne64th, MAX_DEPTH } from './hostGas.ts'
import type { AccountEntry } from './journal.ts'
import { setStackTop, stackTop } from './stack.ts'

/** Per word of init code (EIP-3860), and of what CREATE2 hashes (EIP-1014). */
const INIT_CODE_WORD_GAS = 2
const HASH_WORD_GAS = 6

/** First byte that deployed code must not have since London (EIP-3541). */
const RESERVED_BYTE = 0xef

export function create(frames: Frames, f: number, frame: Frame, opcode: number): number {
  const { core, rules } = frames
  if (frame.isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  const isSalted = opcode === Op.create2
  const wordGas = (rules.withdrawals ? INIT_CODE_WORD_GAS : 0) + (isSalted ? HASH_WORD_GAS : 0)
  if (!core.useMemory(f, top - 64, top - 96, wordGas)) return EXIT_OUT_OF_GAS
  const { output, outputLength } = core
  if (outputLength > initCodeLimit(rules)) return INIT_CODE_SIZE
  const value = core.word(top - 32)
  const salt = isSalted ? core.wordBytes(top - 128) : undefined
  const stack = top - (isSalted ? 96 : 64)
  setStackTop(core, f, stack)
  core.setSmallWord(stack - 32, 0)
  core.setReturned(0, 0)
  const { self } = frame
  const kind = isSalted ? 'CREATE2' : 'CREATE'
  const input = () => core.u8.slice(output, output + outputLength)
  const address = (initCode: Uint8Array) =>
    salt === undefined ? plainAddress(core, self) : saltedAddress(core, self, salt, initCode)
  const refusal = refusalOf(frames, self, value)
  if (refusal !== undefined) {
    const gas = allButOne64th(core.gasLeft(f))
    const { hook } = frames.surroundings
    hook?.refuse?.({ kind, from: self.key, to: address(input()), value, gas, input }, refusal)
    return DONE
  }
  const initCode = input()
  const key = address(initCode)
  return frames.onceRead(() => {
    const created = frames.journal.account(key)
    created.accessed = true
    const paysState = rules.stateGas && created.isEmpty
    if (paysState && !frames.state.charge(core, f, ACCOUNT_STATE_GAS)) return EXIT_OUT_OF_GAS
    const gas = allButOne64th(core.gasLeft(f))
    core.charge(f, gas)
    frames.journal.change(self)
    self.nonce += 1n
    frames.journal.warmAccount(created)
    return frames.enter({
      kind,
      caller: self,
      self: created,
      target: created,
      value,
      code: initCode,
      input: 0,
      inputLength: 0,
      stack,
      memory: core.memoryEnd(f),
      gas,
      isStatic: false,
      output: 0,
      outputLength: 0,
      isCreation: true,
      stateGas: paysState ? ACCOUNT_STATE_GAS : 0,
    })
  })
}

/** Reason why a creation opens no frame; `undefined` if it does. */
function refusalOf({ depth }: Frames, self: AccountEntry, value: bigint): Halt | undefined {
  if (depth >= MAX_DEPTH) return 'depth'
  if (self.balance < value) return 'insufficientBalance'
  return self.nonce >= MAX_NONCE ? 'nonceOverflow' : undefined
}

/** Address of the next contract that an account creates. */
export function plainAddress(core: Core, { bytes, nonce }: AccountEntry): AddressKey {
  return addressKey(createdAddress({ from: bytes, nonce }, (message) => core.keccak256(message)))
}

/** Address of the contract of a CREATE2 (EIP-1014). */
function saltedAddress(
  core: Core,
  creator: AccountEntry,
  salt: Uint8Array,
  initCode: Uint8Array,
): AddressKey {
  const parts = [Uint8Array.of(0xff), creator.bytes, salt, core.keccak256(initCode)]
  return addressKey(core.keccak256(concatBytes(...parts)).subarray(12))
}

/** Makes the account of a creation and gives it the ether. @returns an exit if it cannot be made */
export function openCreation(frames: Frames, { caller, self, value }: Call): number | undefined {
  const isFree = self.nonce === 0n && self.codeHash === EMPTY_CODE_HASH
  if (!isFree || !frames.journal.create(self)) return CREATE_COLLISION
  return frames.transfer(caller, self, value)
}

/** Stores the code that a creation has returned. @returns how it ends, and the gas that is left */
export function deposit(
  { journal, gas, rules, state }: Frames,
  created: AccountEntry,
  code: Uint8Array,
  left: number,
): readonly [exit: number, left: number] {
  const { length } = code
  if (length === 0) return [EXIT_RETURN, left]
  if (length > rules.codeSizeLimit) return [CODE_SIZE, 0]
  let rest = left - length * gas.depositByte - Math.ceil(length / 32) * gas.depositWord
  if (rules.stateGas && rest >= 0) rest = state.chargeFrom(rest, length * CODE_BYTE_STATE_GAS)
  if (rest < 0) return [EXIT_OUT_OF_GAS, 0]
  if (rules.baseFee && code[0] === RESERVED_BYTE) return [INVALID_CODE, 0]
  journal.setCode(created, code)
  return [EXIT_RETURN, rest]
}
