// Answers of the control endpoint, as far as the page shows them. The endpoint's own types import
// code for Node.js, which the browser's project cannot check; a test asserts that they extend
// these.

export interface PendingRequest {
  readonly id: string
  readonly method: string
  readonly params: unknown
  readonly origin: string | null
  /** ms since the epoch, as all times here. */
  readonly received: number
  readonly deadline: number | null
  readonly summary: Summary
}

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

export interface Connection {
  readonly origin: string | null
  readonly accounts: readonly string[]
}

export interface WalletState {
  readonly chains: readonly Chain[]
  readonly activeChain: string
  readonly accounts: readonly string[]
  readonly connections: readonly Connection[]
  /** Oldest first. */
  readonly pending: readonly PendingRequest[]
}

export interface Snapshot {
  readonly state: WalletState
  /** Oldest first. */
  readonly history: readonly HistoryEntry[]
}
