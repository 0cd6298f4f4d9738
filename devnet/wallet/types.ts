import type { Hex } from '../primitives/hex.ts'
import type { ProviderSettings } from './http/browserFiles.ts'

export type { ProviderSettings } from './http/browserFiles.ts'

/** What the person at the wallet does with a request: say yes at once, say no at once, or be asked. */
export type PolicyDecision = 'approve' | 'reject' | 'hold'

/** An error as JSON-RPC answers it. */
export interface WalletErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What is decided for some requests. What a rule does not name matches every request. */
export interface PolicyRule {
  readonly decision: PolicyDecision
  /** Name of the method, e.g. `personal_sign`. */
  readonly method?: string | undefined
  /** The chain that the request is about: the one to add or to switch to, else the active one; e.g. `0x7a69`. */
  readonly chainId?: Hex | undefined
  /** Origin of the page; `null` for clients that are no browser. */
  readonly origin?: string | null | undefined
  /**
   * After how many requests the rule is gone. Rules with a number come before all others, in the order in which they
   * were added; of those without, the newest wins. Default: it stays.
   */
  readonly times?: number | undefined
  /** ms until the decision; the request waits in the queue meanwhile. Default: 0. */
  readonly delay?: number | undefined
  /** What a rejection answers instead of 4001. */
  readonly error?: WalletErrorBody | undefined
  /** The account that an approval connects. Default: the selected one. */
  readonly account?: Hex | undefined
}

/** What holds for requests that come in. */
export interface Policy {
  /** For requests that no rule matches. */
  readonly default: PolicyDecision
  readonly rules: readonly PolicyRule[]
}

/** A change of the policy, made in this order: `clear`, `default`, `add`. */
export interface PolicyChange {
  /** Removes all rules. */
  readonly clear?: boolean | undefined
  readonly default?: PolicyDecision | undefined
  readonly add?: PolicyRule | readonly PolicyRule[] | undefined
}

/** A chain that the wallet knows. */
export interface WalletChain {
  /** Hexadecimal without leading zeros, in lower case. */
  readonly chainId: Hex
  readonly chainName: string
  readonly nativeCurrency: {
    readonly name: string
    readonly symbol: string
    readonly decimals: number
  }
  /** None for the chain of this node, which is asked in process, and for chains that were known without any. */
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls: readonly string[]
  readonly iconUrls: readonly string[]
}

/** A request in words, for a person. All texts may come from a stranger: escape them. */
export interface RequestSummary {
  readonly title: string
  readonly fields: readonly { readonly label: string; readonly value: string }[]
  readonly warnings: readonly string[]
}

/** A request that waits for its decision. */
export interface PendingRequest {
  /** Rises with every request of the wallet; a decimal. */
  readonly id: string
  /** `default`, or the name in `/wallet/s/<name>`. */
  readonly session: string
  readonly method: string
  /** As they came. */
  readonly params: unknown
  /** Origin of the page; `null` for clients that are no browser. */
  readonly origin: string | null
  /** ms since the epoch. */
  readonly received: number
  /** ms since the epoch; `null` where it waits for ever. */
  readonly deadline: number | null
  readonly summary: RequestSummary
}

/**
 * How a request ended: `automatic` needed nobody's consent, `invalid` was refused before anybody was asked, `expired` waited
 * until its deadline, and the client, or what it did, took back what was `withdrawn`.
 */
export type WalletDecision =
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'automatic'
  | 'invalid'

/** A request that was answered. Those that only read, such as `eth_accounts` and `eth_call`, are not kept. */
export interface HistoryEntry extends PendingRequest {
  readonly decision: WalletDecision
  /** Who decided: a rule, the control API or `devnet.wallet`, the approval page, the deadline, or the client. */
  readonly decidedBy: 'policy' | 'control' | 'page' | 'deadline' | 'client'
  /** ms since the epoch. */
  readonly decided: number
  /** What the client was told. An approved request may still end in an error. */
  readonly answer: { readonly result: unknown } | { readonly error: WalletErrorBody }
}

/** Which requests are meant; what is left out matches all. */
export interface HistoryFilter {
  readonly method?: string | undefined
  /** `null` for clients that are no browser. */
  readonly origin?: string | null | undefined
  readonly decision?: WalletDecision | undefined
  /** Only those that came after the request of this id. */
  readonly after?: string | undefined
  /** The newest so many. */
  readonly limit?: number | undefined
}

/** What {@link WalletControl.waitFor} waits for. */
export interface WaitForFilter {
  readonly method?: string | undefined
  readonly origin?: string | null | undefined
  /** Only one that came after the request of this id. */
  readonly after?: string | undefined
  /** ms. Default: 5,000. */
  readonly timeout?: number | undefined
}

/** A page or client that is connected. */
export interface WalletConnection {
  readonly origin: string | null
  readonly accounts: readonly Hex[]
}

/** What the wallet is at. */
export interface WalletState {
  readonly chains: readonly WalletChain[]
  /** Chain id. */
  readonly activeChain: Hex
  /** The selected one first. */
  readonly accounts: readonly Hex[]
  readonly connections: readonly WalletConnection[]
  readonly policy: Policy
  readonly pending: readonly PendingRequest[]
  readonly profile: 'devnet' | 'eip3085' | 'metamask'
}

/**
 * The person at the mock wallet. The same over JSON-RPC: `POST /wallet/control`, with `control_` before each name.
 *
 * @example
 * await devnet.wallet.policy({ default: 'hold' })
 * // The dApp under test asks to add a chain.
 * const { id } = await devnet.wallet.waitFor({ method: 'wallet_addEthereumChain' })
 * await devnet.wallet.reject(id)
 */
export interface WalletControl {
  /** Endpoint for dApps, e.g. `http://127.0.0.1:8545/wallet`. @throws {Error} before the node has started */
  readonly url: string
  /** What the control API asks for; another one in each run. */
  readonly token: string
  /** Address of the approval page, with the token. @throws {Error} before the node has started */
  readonly pageUrl: string
  /**
   * A wallet of its own, with its own chains, connections, policy, queue and history; `[A-Za-z0-9_-]{1,64}`. Of more than 250,
   * the one that nobody has used for longest begins anew.
   */
  session(name: string): WalletControl
  state(): Promise<WalletState>
  /** The requests that wait, the oldest first. */
  pending(): Promise<readonly PendingRequest[]>
  /**
   * Says yes to a request that waits; resolves when it has been answered.
   *
   * @param options - `account`: the account to connect; default: the selected one
   * @throws {DevnetError} code -32602 when no such request waits
   */
  approve(id: string, options?: { readonly account?: Hex | undefined }): Promise<void>
  /**
   * Says no to a request that waits; resolves when it has been answered.
   *
   * @param error - what is answered instead of 4001
   * @throws {DevnetError} code -32602 when no such request waits
   */
  reject(id: string, error?: Partial<WalletErrorBody>): Promise<void>
  /** Changes what happens to requests that come in from now on; without a change, only tells. */
  policy(change?: PolicyChange): Promise<Policy>
  /** Requests that were answered, the oldest first. */
  history(filter?: HistoryFilter): Promise<readonly HistoryEntry[]>
  /**
   * Resolves with the oldest request that waits, or with the next one to do so.
   *
   * @throws {DevnetError} code -32000 when none has come in time
   */
  waitFor(filter?: WaitForFilter & { readonly state?: 'pending' }): Promise<PendingRequest>
  /** The same for a request that was answered: the newest of the history, or the next one. */
  waitFor(filter: WaitForFilter & { readonly state: 'decided' }): Promise<HistoryEntry>
  /** Selects an account, for connected pages too. It can sign where the node holds its key. */
  switchAccount(account: Hex): Promise<void>
  /** Disconnects a page, or all of them. */
  disconnect(options?: { readonly origin?: string | null | undefined }): Promise<void>
  /** As at the start: chains, connections, policy, account and history; what waits is rejected, and is in no history. */
  reset(): Promise<void>
  /** The provider script as text, for `addInitScript` of Playwright and its like. */
  providerScript(settings?: ProviderSettings): Promise<string>
}
