import { createVM, type VM } from '@ethereumjs/vm'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Codes } from '../state/codes.ts'
import { Overlay } from '../state/overlay/overlay.ts'
import type { StateReader } from '../state/types.ts'
import { ConsoleRecorder } from './consoleCalls.ts'
import { installLeanLoop } from './fastpath/leanLoop.ts'
import { WarmJournal } from './fastpath/warmJournal.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { offloadPrecompiles } from './workers/heavyPrecompiles.ts'
import { Pace, yieldOpcodes } from './yielding.ts'

/** Hash of a block that the running code may ask for; zero bytes where there is none. Must not throw. */
export type BlockHashes = (number: bigint) => Uint8Array

/** A VM over its own scratch state. One execution at a time: the library keeps its state in the instance. */
export class Machine {
  readonly vm: VM
  readonly overlay: Overlay
  readonly pace: Pace
  readonly console = new ConsoleRecorder()
  #blockHashes: BlockHashes = () => ZERO_HASH

  private constructor(vm: VM, overlay: Overlay, pace: Pace) {
    this.vm = vm
    this.overlay = overlay
    this.pace = pace
  }

  static async create(common: FixedCommon, codes: Codes, base: StateReader): Promise<Machine> {
    await installLeanLoop()
    const pace = new Pace()
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
      evmOpts: { customOpcodes: yieldOpcodes(pace) },
    })
    vm.evm.journal = new WarmJournal(overlay)
    offloadPrecompiles(
      vm.evm.precompiles,
      { chainId: Number(common.chainId()), hardfork: common.hardfork() },
      pace,
    )
    // It listens for changes of a Common that never changes, and so would be kept when it is dropped after an error.
    common.events.removeAllListeners('hardforkChanged')
    vm.evm.events?.on('beforeMessage', (message, resume) => {
      machine.console.see(message)
      const pause = pace.point()
      if (pause === undefined) resume?.()
      else pause.then(resume)
    })
    const machine = new Machine(vm, overlay, pace)
    return machine
  }

  /** Makes the machine ready for executions over another state. */
  reset(base: StateReader, blockHashes: BlockHashes): void {
    this.pace.begin()
    this.console.take()
    this.overlay.reset(base)
    this.#blockHashes = blockHashes
  }
}
