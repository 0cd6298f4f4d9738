import type { ChainCapture } from '../../chain/chainCapture.ts'

/** What is saved: the chain, and what lies around it. */
export interface Capture extends ChainCapture {
  readonly clock: SavedClock
  /** Of the node; `undefined` where it does not outlive it. */
  readonly instanceId: string | undefined
}

/** How virtual time stands when a chain is saved. Both clocks themselves are as the options of the next start say. */
export interface SavedClock {
  /** ms since the epoch where time stood still; s that it was ahead of the wall clock where it ran. */
  readonly time: { readonly stopped: number } | { readonly offset: number }
  /** s by which `evm_increaseTime` moved it altogether. */
  readonly increased: number
  /** s that virtual time goes to when the pending block is sealed; `undefined` where it just goes on. */
  readonly expectedTimestamp: number | undefined
}
