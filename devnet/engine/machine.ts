import { createVM, type VM } from '@ethereumjs/vm'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Codes } from '../state/codes.ts'
import { Overlay } from '../state/overlay/overlay.ts'
import type { StateReader } from '../state/types.ts'
import { codeOpcodes } from './codeOpcodes.ts'
import { ConsoleRecorder } from './consoleCalls.ts'
import { installLeanLoop, yieldInRunLoop } from './fastpath/leanLoop.ts'
import { WarmJournal } from './fastpath/warmJournal.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { Scheduler } from './scheduler.ts'
import type { BlockHashes } from './types.ts'
import { offloadPrecompiles } from './workers/heavyPrecompiles.ts'
import { yieldOpcodes } from './yieldOpcodes.ts'

/** A VM with its own overlay. Runs one execution at a time: the VM holds the execution's state. */
export class Machine {
  readonly vm: VM
  readonly overlay: Overlay
  readonly scheduler: Scheduler
  readonly console = new ConsoleRecorder()
  #blockHashes: BlockHashes = () => ZERO_HASH

  private constructor(vm: VM, overlay: Overlay, scheduler: Scheduler) {
    this.vm = vm
    this.overlay = overlay
    this.scheduler = scheduler
  }

  static async create(common: FixedCommon, codes: Codes, base: StateReader): Promise<Machine> {
    await installLeanLoop()
    const scheduler = new Scheduler()
    const overlay = new Overlay(base, codes, common)
    const blockchain = {
      getBlock: async (number: number) => ({
        hash: () => machine.#blockHashes(BigInt(number)),
      }),
      putBlock: async () => {},
      shallowCopy: () => blockchain,
    }
    const vm = await createVM({
      common,
      stateManager: overlay,
      blockchain,
      evmOpts: { customOpcodes: [...yieldOpcodes(scheduler), ...codeOpcodes(common)] },
    })
    vm.evm.journal = new WarmJournal(overlay)
    yieldInRunLoop(vm.evm, scheduler)
    offloadPrecompiles(
      vm.evm.precompiles,
      { chainId: Number(common.chainId()), hardfork: common.hardfork() },
      scheduler,
    )
    // The VM's listener is not needed, and would keep a dropped machine in memory.
    common.events.removeAllListeners('hardforkChanged')
    vm.evm.events?.on('beforeMessage', (message, resume) => {
      machine.console.see(message)
      const pause = scheduler.yieldIfDueSampled()
      if (pause === undefined) resume?.()
      else pause.then(resume)
    })
    const machine = new Machine(vm, overlay, scheduler)
    return machine
  }

  /** Drops all changes and continues on top of another state. */
  reset(base: StateReader, blockHashes: BlockHashes): void {
    this.scheduler.begin()
    this.console.take()
    this.overlay.reset(base)
    this.#blockHashes = blockHashes
  }
}
