import type { Common } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm'
import type { Scheduler } from '../scheduler.ts'

export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
export type LogicFunction = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
export type RunState = Parameters<LogicFunction>[0]

/** EXP, KECCAK256, CALLDATACOPY, CODECOPY and MCOPY, which take long for large operands. */
const SLOW_OPCODES = [0x0a, 0x20, 0x37, 0x39, 0x5e]

/**
 * The library's jumps and its slow opcodes, but they can yield: the library never yields by itself.
 * Every loop in a contract contains a jump. The machine also yields at calls.
 */
export function yieldOpcodes(scheduler: Scheduler, common: Common): CustomOpcode[] {
  const stock = getOpcodesForHF(common)
  const slow = (handler: LogicFunction): LogicFunction => {
    return (state, rules) => {
      handler(state, rules)
      return scheduler.yieldIfDueSampled()
    }
  }
  return [
    ...SLOW_OPCODES.flatMap((opcode) => replacedOpcode(stock, opcode, slow)),
    {
      opcode: 0x56,
      opcodeName: 'JUMP',
      baseFee: 8,
      logicFunction(state) {
        jump(state, state.stack.pop())
        return scheduler.yieldIfDueSampled()
      },
    },
    {
      opcode: 0x57,
      opcodeName: 'JUMPI',
      baseFee: 10,
      logicFunction(state) {
        const destination = state.stack.pop()
        if (state.stack.pop() !== 0n) jump(state, destination)
        return scheduler.yieldIfDueSampled()
      },
    },
  ]
}

/**
 * An opcode of the library that does something else for the same gas; none if the hardfork lacks
 * it.
 *
 * @param logicOf - makes what it does of what the library's does
 */
export function replacedOpcode(
  { opcodes, handlers, dynamicGasHandlers }: ReturnType<typeof getOpcodesForHF>,
  opcode: number,
  logicOf: (stock: LogicFunction) => LogicFunction,
): CustomOpcode[] {
  const stock = opcodes.get(opcode)
  const handler = handlers.get(opcode)
  const gasFunction = dynamicGasHandlers.get(opcode)
  if (stock === undefined || handler === undefined || gasFunction === undefined) return []
  const logicFunction = logicOf(handler)
  return [{ opcode, opcodeName: stock.name, baseFee: stock.fee, gasFunction, logicFunction }]
}

function jump(state: RunState, destination: bigint): void {
  const position = Number(destination)
  // Beyond the end of the code, the element is `undefined`.
  if (state.validJumps[position] !== 1) {
    throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
  }
  state.programCounter = position
}
