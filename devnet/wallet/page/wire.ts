// What the control endpoint says, as far as the page shows it. Its own types would bring the node's options and their
// checks into the browser's project; a test holds that they extend these.

/** A request that waits. */
export interface PendingRequest {
  readonly id: string
  readonly method: string
  readonly params: unknown
  readonly origin: string | null
  /** ms since 1970, as all times here. */
  readonly received: number
  readonly deadline: number | null
  readonly summary: Summary
}

/** A request in words. */
export interface Summary {
  readonly title: string
  readonly fields: readonly { readonly label: string; readonly value: string }[]
  readonly warnings: readonly string[]
}

export interface HistoryEntry extends PendingRequest {
  readonly decision: 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'automatic' | 'invalid'
  readonly decidedBy: 'policy' | 'control' | 'page' | 'deadline' | 'client'
  readonly decided: number
  readonly answer:
    | { readonly result: unknown }
    | { readonly error: { readonly code: number; readonly message: string } }
}

export interface Chain {
  readonly chainId: string
  readonly chainName: string
  readonly nativeCurrency?: { readonly symbol: string }
  readonly rpcUrls: readonly string[]
}

export interface Site {
  readonly origin: string | null
  readonly accounts: readonly string[]
}

export interface WalletState {
  readonly chains: readonly Chain[]
  readonly activeChain: string
  readonly accounts: readonly string[]
  readonly connections: readonly Site[]
  /** The oldest first. */
  readonly pending: readonly PendingRequest[]
}

/** All that is shown at one time. */
export interface Snapshot {
  readonly state: WalletState
  /** The oldest first. */
  readonly history: readonly HistoryEntry[]
}
