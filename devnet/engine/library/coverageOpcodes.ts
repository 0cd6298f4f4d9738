import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF } from '@ethereumjs/evm'
import { Op } from '../../protocol/opcodes.ts'
import { COVERAGE, type CoverageCalls, TAG_LENGTH } from '../coverageCalls.ts'
import { type CustomOpcode, type LogicFunction, replacedOpcode } from './yieldOpcodes.ts'

const COVERAGE_WORD = BigInt(COVERAGE)

/** The library's STATICCALL, which records hits. */
export function coverageOpcodes(coverage: CoverageCalls, common: Common): CustomOpcode[] {
  const logicOf =
    (handler: LogicFunction): LogicFunction =>
    async (state, rules) => {
      const [, target = 0n, offset = 0n, length = 0n] = state.stack.peek(4)
      const isHit = BigInt.asUintN(160, target) === COVERAGE_WORD
      const { returnBytes } = state
      if (isHit && length === BigInt(TAG_LENGTH)) {
        coverage.add(state.memory.read(Number(offset), TAG_LENGTH))
      }
      await handler(state, rules)
      if (isHit) state.returnBytes = returnBytes
    }
  return replacedOpcode(getOpcodesForHF(common), Op.staticCall, logicOf)
}
