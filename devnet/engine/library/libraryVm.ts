import { EVMError } from '@ethereumjs/evm'
import { createVM, type VM } from '@ethereumjs/vm'
import type { Machine } from '../machine.ts'
import { offloadPrecompiles } from '../workers/heavyPrecompiles.ts'
import { codeOpcodes } from './codeOpcodes.ts'
import { coverageOpcodes } from './coverageOpcodes.ts'
import type { FrameRunner } from './evmInternals.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { LibraryState } from './libraryState.ts'
import { installRunLoops } from './runLoop.ts'
import { stateGasOpcodes } from './stateGasOpcodes.ts'
import { yieldOpcodes } from './yieldOpcodes.ts'

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
      // A precompile that fails is no revert, in whose words the library has it (EIP-8037).
      if (message.isCompiled && exceptionError !== undefined) result.execResult.stateGasSpilled = 0n
      if (exceptionError?.error === EVMError.errorMessages.VALUE_OVERFLOW) {
        result.execResult.executionGasUsed = message.gasLimit
      }
      return result
    }
  }
}
