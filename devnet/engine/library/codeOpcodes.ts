import type { Common } from '@ethereumjs/common'
import { EVMError, getOpcodesForHF } from '@ethereumjs/evm'
import { type Address, createAddressFromBigInt } from '@ethereumjs/util'
import { bigIntTo32Bytes, bytesToBigInt, EMPTY_BYTES } from '../../primitives/bytes.ts'
import {
  type CustomOpcode,
  type LogicFunction,
  type RunState,
  replacedOpcode,
} from './yieldOpcodes.ts'

/**
 * The opcodes that read or create code, with the library's gas. The library takes code that begins
 * with 0xef00 for EOF under all hardforks, although none of them has EIP-3540: it refuses to run
 * such init code, and shows such code as 0xef00 alone. Here it is code like any other.
 */
export function codeOpcodes(common: Common): CustomOpcode[] {
  const stock = getOpcodesForHF(common)
  return [...HANDLERS].flatMap(([opcode, logic]) => replacedOpcode(stock, opcode, () => logic))
}

async function extCodeSize({ stack, stateManager, interpreter }: RunState): Promise<void> {
  const code = await stateManager.getCode(accessed(interpreter, stack.pop()))
  stack.push(BigInt(code.length))
}

async function extCodeCopy(state: RunState): Promise<void> {
  const { stack, stateManager, memory, interpreter } = state
  const [word = 0n, target = 0n, offset = 0n, length = 0n] = stack.popN(4)
  const address = accessed(interpreter, word)
  if (length === 0n) return
  const code = await stateManager.getCode(address)
  const [at, size] = [Number(target), Number(length)]
  const start = offset < BigInt(code.length) ? Number(offset) : code.length
  const piece = code.subarray(start, start + size)
  memory.extend(at, size)
  // In place: a new array of zeros for each copy from past the end would cost more than the copy.
  memory._store.set(piece, at)
  memory._store.fill(0, at + piece.length, at + size)
}

async function extCodeHash({ stack, stateManager, interpreter }: RunState): Promise<void> {
  const account = await stateManager.getAccount(accessed(interpreter, stack.pop()))
  const isEmpty = account === undefined || account.isEmpty()
  stack.push(isEmpty ? 0n : bytesToBigInt(account.codeHash))
}

async function create(state: RunState, common: Common): Promise<void> {
  const [value = 0n, offset = 0n, length = 0n] = state.stack.popN(3)
  const { gas, initCode } = prepareCreation(state, common, offset, length)
  state.stack.push(await state.interpreter.create(gas, value, initCode))
}

async function create2(state: RunState, common: Common): Promise<void> {
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = state.stack.popN(4)
  const { gas, initCode } = prepareCreation(state, common, offset, length)
  state.stack.push(await state.interpreter.create2(gas, value, initCode, bigIntTo32Bytes(salt)))
}

/** The init code, and the gas that `gasFunction` has set aside for it. */
function prepareCreation(state: RunState, common: Common, offset: bigint, length: bigint) {
  if (common.isActivatedEIP(3860) && length > common.param('maxInitCodeSize')) {
    throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION)
  }
  // Not copied: the memory stays as it is while the init code runs.
  const initCode =
    length === 0n ? EMPTY_BYTES : state.memory.read(Number(offset), Number(length), true)
  return { gas: state.messageGasLimit ?? 0n, initCode }
}

/** The address in a word, as an entry of the block's access list (EIP-7928). */
function accessed({ _evm: evm }: RunState['interpreter'], word: bigint): Address {
  const address = createAddressFromBigInt(BigInt.asUintN(160, word))
  evm.blockLevelAccessList?.addAddress(address.toString())
  return address
}

const HANDLERS: ReadonlyMap<number, LogicFunction> = new Map([
  [0x3b, extCodeSize],
  [0x3c, extCodeCopy],
  [0x3f, extCodeHash],
  [0xf0, create],
  [0xf5, create2],
])
