import type { Taken } from './assembly.ts'
import type { SealedBlock } from './block.ts'
import { Listeners } from './listeners.ts'
import type { PendingView } from './pendingView.ts'
import type { ChainTransaction } from './transaction.ts'

/** What a tick took, for those who watch. */
export interface TickReport extends Taken {
  readonly view: PendingView
  /** ms. */
  readonly elapsed: number
}

/** Those who listen to a chain. */
export class ChainListeners {
  readonly ticked: Listeners<[TickReport]>
  readonly sealed: Listeners<[block: SealedBlock, elapsed: number]>
  readonly admitted: Listeners<[ChainTransaction]>
  readonly freed: Listeners<[count: number]>
  readonly turned: Listeners<[]>

  /** @param onDefect - hears of errors in them */
  constructor(onDefect: (error: unknown) => void) {
    this.ticked = new Listeners(onDefect)
    this.sealed = new Listeners(onDefect)
    this.admitted = new Listeners(onDefect)
    this.freed = new Listeners(onDefect)
    this.turned = new Listeners(onDefect)
  }
}
