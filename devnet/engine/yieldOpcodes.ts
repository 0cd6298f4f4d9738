import { EVMError, type EVMOpts } from '@ethereumjs/evm'
import type { Scheduler } from './scheduler.ts'

export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
export type LogicFunction = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
export type RunState = Parameters<LogicFunction>[0]

/**
 * The library's JUMP and JUMPI, but they can yield: the library never yields by itself, and every
 * loop in a contract contains a jump. The machine also yields at calls.
 */
export function yieldOpcodes(scheduler: Scheduler): CustomOpcode[] {
  return [
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

function jump(state: RunState, destination: bigint): void {
  const position = Number(destination)
  // Beyond the end of the code, the element is `undefined`.
  if (state.validJumps[position] !== 1) {
    throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
  }
  state.programCounter = position
}
