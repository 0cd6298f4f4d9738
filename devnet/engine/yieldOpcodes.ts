import { EVMError, type EVMOpts } from '@ethereumjs/evm'
import type { Pace } from './pace.ts'

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type LogicFunction = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
type RunState = Parameters<LogicFunction>[0]

function jump(state: RunState, destination: bigint): void {
  const position = Number(destination)
  // Also where it lies behind the code: nothing is valid there.
  if (state.validJumps[position] !== 1) {
    throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
  }
  state.programCounter = position
}

/**
 * JUMP and JUMPI as the library has them, with a yield point each. Every loop holds a jump, so with these and one at
 * each call no code can hold the event loop for long; the library itself never yields.
 */
export function yieldOpcodes(pace: Pace): CustomOpcode[] {
  return [
    {
      opcode: 0x56,
      opcodeName: 'JUMP',
      baseFee: 8,
      logicFunction(state) {
        jump(state, state.stack.pop())
        return pace.point()
      },
    },
    {
      opcode: 0x57,
      opcodeName: 'JUMPI',
      baseFee: 10,
      logicFunction(state) {
        const destination = state.stack.pop()
        if (state.stack.pop() !== 0n) jump(state, destination)
        return pace.point()
      },
    },
  ]
}
