import type { VM } from '@ethereumjs/vm'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Codes } from '../state/codes.ts'
import { Overlay } from '../state/overlay/overlay.ts'
import type { StateReader } from '../state/types.ts'
import type { AccessWatch } from './accessWatch.ts'
import { ConsoleRecorder } from './consoleCalls.ts'
import type { CoverageRecorder } from './coverageCalls.ts'
import type { FastMachine } from './fast/fastMachine.ts'
import type { FrameHook } from './fast/hooks.ts'
import { InnerFrameRecorder } from './innerFrames.ts'
import type { FixedCommon } from './library/fixedCommon.ts'
import { Scheduler } from './scheduler.ts'
import type { BlockHashes } from './types.ts'

interface ExecutionWatch {
  readonly accesses: AccessWatch | undefined
  readonly frames: FrameHook
}

/** An overlay with what executes on it. Runs one execution at a time. */
export class Machine {
  readonly overlay: Overlay
  readonly scheduler = new Scheduler()
  readonly console = new ConsoleRecorder()
  readonly innerFrames = new InnerFrameRecorder()
  /** `undefined` if no coverage is recorded. */
  readonly coverage: CoverageRecorder | undefined
  /** The fast engine on this overlay; `undefined` if the library runs everything. */
  fast: FastMachine | undefined
  /** True if something listens to the library's VM, which then runs everything. */
  isTraced = false
  /** Is told what the fast engine executes; if set, only that engine executes. */
  watch: ExecutionWatch | undefined
  #vm: VM | undefined
  #hashes: BlockHashes = () => ZERO_HASH
  /** The library's form of the rules, made when it is first needed. */
  readonly common: () => Promise<FixedCommon>

  constructor(
    base: StateReader,
    codes: Codes,
    common: () => Promise<FixedCommon>,
    coverage?: CoverageRecorder,
  ) {
    this.coverage = coverage
    this.overlay = new Overlay(base, codes, this.scheduler.wait)
    this.common = common
  }

  readonly blockHashes: BlockHashes = (number) => {
    const hash = this.#hashes(number)
    return hash instanceof Promise ? this.scheduler.wait(hash) : hash
  }

  /** The library's VM, loaded when it is first needed. */
  async library(): Promise<VM> {
    this.#vm ??= await this.scheduler.untimed(this.#loadVm())
    return this.#vm
  }

  async #loadVm(): Promise<VM> {
    const [common, { createLibraryVm }] = await Promise.all([
      this.common(),
      import('./library/libraryVm.ts'),
    ])
    return await createLibraryVm(this, common)
  }

  /** The library's VM. @throws {Error} before the first {@link library} */
  get vm(): VM {
    if (this.#vm === undefined) throw new Error('The VM of this machine is not loaded')
    return this.#vm
  }

  /** True if only the fast engine has run here: it can be left in the middle of an execution. */
  get isFast(): boolean {
    return this.#vm === undefined
  }

  /** Drops all changes and continues on top of another state, maybe of another branch. */
  reset(base: StateReader, blockHashes: BlockHashes, codes?: Codes): void {
    this.scheduler.begin()
    this.console.take()
    this.overlay.reset(base, codes)
    this.#vm?.stateManager.originalStorageCache.clear()
    this.#hashes = blockHashes
  }
}
