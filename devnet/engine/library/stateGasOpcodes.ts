import type { Common } from '@ethereumjs/common'
import { EVMError, getOpcodesForHF } from '@ethereumjs/evm'
import { Op } from '../../protocol/opcodes.ts'
import { MAX_NONCE } from '../../protocol/transaction.ts'
import { type CustomOpcode, type RunState, replacedOpcode } from './yieldOpcodes.ts'

/**
 * Opcodes that make accounts, with their gas as EIP-8037 has it. The library (evm 10.1.3) splits
 * the gas of a CALL before it pays for the account, so that the caller lacks gas that it has; and
 * it pays for the account of a creation that ends before it reads that account, which fails if the
 * gas does not suffice. None before Amsterdam.
 *
 * @param opcodes - those of CREATE and CREATE2, to which the gas is added
 */
export function stateGasOpcodes(common: Common, opcodes: readonly CustomOpcode[]): CustomOpcode[] {
  if (!common.isActivatedEIP(8037)) return [...opcodes]
  const stock = getOpcodesForHF(common)
  const call = replacedOpcode(stock, Op.call, (handler) => (state, rules) => {
    const { interpreter, messageGasLimit = 0n } = state
    const left = interpreter.getGasLeft()
    const most = left - left / 64n
    if (messageGasLimit > most) state.messageGasLimit = most
    return handler(state, rules)
  })
  const rest = opcodes.map((custom): CustomOpcode => {
    const { opcode } = custom
    if (opcode !== Op.create && opcode !== Op.create2) return custom
    const gasOf = stock.dynamicGasHandlers.get(opcode)
    if (gasOf === undefined || !('logicFunction' in custom)) return custom
    return { ...custom, gasFunction: creationGas(gasOf, withoutStateGas(common)) }
  })
  return [...call, ...rest]
}

type GasFunction =
  ReturnType<typeof getOpcodesForHF>['dynamicGasHandlers'] extends Map<number, infer Handler>
    ? Handler
    : never

function creationGas(gasOf: GasFunction, stateless: Common): GasFunction {
  return async (state, gas, common) => {
    if (state.interpreter.isStatic()) {
      throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
    }
    if (!endsEarly(state, common)) return await gasOf(state, gas, common)
    state.lastCreateNewAccountStateGas = 0n
    return await gasOf(state, gas, stateless)
  }
}

/** True if a creation fails before it reads the account that it is to make. */
function endsEarly({ stack, env }: RunState, common: Common): boolean {
  const [value = 0n] = stack.peek(1)
  const { balance, nonce } = env.contract
  return env.depth >= common.param('stackLimit') || balance < value || nonce >= MAX_NONCE
}

/** The same rules but for EIP-8037. */
function withoutStateGas(common: Common): Common {
  const isActivatedEIP = (eip: number) => eip !== 8037 && common.isActivatedEIP(eip)
  return Object.create(common, { isActivatedEIP: { value: isActivatedEIP } })
}
