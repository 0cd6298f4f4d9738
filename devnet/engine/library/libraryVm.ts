import type { Common } from '@ethereumjs/common'
import { EVMError, getOpcodesForHF } from '@ethereumjs/evm'
import { createVM, type VM } from '@ethereumjs/vm'
import { Op } from '../../protocol/opcodes.ts'
import { COVERAGE, type CoverageCalls, TAG_LENGTH } from '../coverageCalls.ts'
import type { Machine } from '../machine.ts'
import { offloadPrecompiles } from '../workers/heavyPrecompiles.ts'
import { codeOpcodes } from './codeOpcodes.ts'
import type { FrameRunner } from './evmInternals.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { LibraryState } from './libraryState.ts'
import { installRunLoops } from './runLoop.ts'
import { stateGasOpcodes } from './stateGasOpcodes.ts'
import {
  type CustomOpcode,
  type LogicFunction,
  replacedOpcode,
  yieldOpcodes,
} from './yieldOpcodes.ts'

/** Makes the library's VM of a machine, which runs on the machine's overlay. */
export async function createLibraryVm(machine: Machine, common: FixedCommon): Promise<VM> {
  await installRunLoops()
  const { overlay, scheduler } = machine
  const blockchain = {
    getBlock: async (number: number) => {
      const hash = await machine.blockHashes(BigInt(number))
      return { hash: () => hash }
    },
    putBlock: async () => {},
    shallowCopy: () => blockchain,
  }
  const vm = await createVM({
    common,
    stateManager: new LibraryState(overlay, common),
    blockchain,
    evmOpts: {
      customOpcodes: [
        ...yieldOpcodes(scheduler, common),
        ...stateGasOpcodes(common, codeOpcodes(common)),
        ...(machine.coverage === undefined ? [] : coverageOpcodes(machine.coverage, common)),
      ],
    },
  })
  offloadPrecompiles(
    vm.evm.precompiles,
    { chainId: Number(common.chainId()), hardfork: common.hardfork() },
    scheduler,
  )
  // The methods are protected.
  burnFailures(vm.evm as unknown as FrameRunner)
  keepReservoirs(vm.evm)
  // The VM's listener is not needed, and would keep a dropped machine in memory.
  common.events.removeAllListeners('hardforkChanged')
  vm.evm.events?.on('beforeMessage', (message, resume) => {
    machine.console.see(message)
    machine.innerFrames.see(message)
    const pause = scheduler.yieldIfDueSampled()
    if (pause === undefined) resume?.()
    else pause.then(resume)
  })
  vm.evm.events?.on('afterMessage', (result) => machine.innerFrames.seeEnd(result))
  return vm
}

/**
 * Lets the sender keep the gas that is reserved for state if a call runs out of gas behind the
 * access to its target. The library burns it, but no halt takes gas from the reservoir (EIP-8037).
 */
function keepReservoirs(evm: VM['evm']): void {
  Object.defineProperty(evm, 'eip7928CallPostTargetOog', { get: () => false, set: () => undefined })
}

/**
 * Lets a frame whose ether would be too much for its recipient cost all its gas, as in revm, and a
 * precompile that fails too.
 */
function burnFailures(evm: FrameRunner): void {
  for (const name of ['_executeCall', '_executeCreate'] as const) {
    const run = evm[name].bind(evm)
    evm[name] = async (message) => {
      const result = await run(message)
      const { exceptionError } = result.execResult
      // The library reports a failed precompile as a revert, which it is not (EIP-8037).
      if (message.isCompiled && exceptionError !== undefined) result.execResult.stateGasSpilled = 0n
      if (exceptionError?.error === EVMError.errorMessages.VALUE_OVERFLOW) {
        result.execResult.executionGasUsed = message.gasLimit
      }
      return result
    }
  }
}

const COVERAGE_WORD = BigInt(COVERAGE)

/** The library's STATICCALL, which records hits. */
function coverageOpcodes(coverage: CoverageCalls, common: Common): CustomOpcode[] {
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
