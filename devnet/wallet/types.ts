import type { Hex } from '../primitives/hex.ts'
import type { DecodedCall } from '../rpc/naming/types.ts'
import type { ProviderSettings } from './provider/settings.ts'

export type { ProviderSettings } from './provider/settings.ts'

/** Treatment of a request: approved at once, rejected at once, or held for the user. */
export type PolicyDecision = 'approve' | 'reject' | 'hold'

/** A JSON-RPC error. */
export interface WalletErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Decision for matching requests. A field that a rule omits matches every request. */
export interface PolicyRule {
  readonly decision: PolicyDecision
  /** Name of the method, e.g. `personal_sign`. */
  readonly method?: string | undefined
  /** Chain to add or switch to, or the active one for other methods, e.g. `0x7a69`. */
  readonly chainId?: Hex | undefined
  /** Origin of the page; `null` for clients other than browsers. */
  readonly origin?: string | null | undefined
  /**
   * Number of requests after which the rule is removed. Rules with a number take precedence, oldest
   * first; of the others, the newest wins. Default: no limit.
   */
  readonly times?: number | undefined
  /** ms until the decision, during which the request waits in the queue. Default: 0. */
  readonly delay?: number | undefined
  /** Error of a rejection. Default: code 4001. */
  readonly error?: WalletErrorBody | undefined
  /** The account that an approval connects. Default: the selected one. */
  readonly account?: Hex | undefined
}

/** Support for batches of calls that are executed atomically (EIP-5792). */
export type AtomicStatus = 'unsupported' | 'ready' | 'supported'

/** Status for some chains or origins; of several that match, the newest counts. */
export interface AtomicRule {
  readonly status: AtomicStatus
  /** Default: all, of which only that of the node can be another one than `unsupported` */
  readonly chainId?: Hex | undefined
  /** `null` for clients other than browsers. Default: all */
  readonly origin?: string | null | undefined
}

/** Policy by which incoming requests are decided. */
export interface Policy {
  /** For requests that no rule matches. */
  readonly default: PolicyDecision
  readonly rules: readonly PolicyRule[]
  /** The first one is the default. Absent if all are `unsupported`. */
  readonly atomic?: readonly AtomicRule[]
}

/** A change of the policy, made in this order: `clear`, `default`, `add`. */
export interface PolicyChange {
  /** Removes all rules. */
  readonly clear?: boolean | undefined
  readonly default?: PolicyDecision | undefined
  readonly add?: PolicyRule | readonly PolicyRule[] | undefined
  /** A status is the new default; a rule is added to the others. */
  readonly atomic?: AtomicStatus | AtomicRule | undefined
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
  /** Empty for the chain of this node and for chains known without a URL. */
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls: readonly string[]
  readonly iconUrls: readonly string[]
}

/** A request in words. The texts are untrusted: escape them. */
export interface RequestSummary {
  readonly title: string
  /** Tells the request apart from others with its title, e.g. `1 ETH to 0x7099…79C8`. */
  readonly detail?: string | undefined
  readonly fields: readonly SummaryField[]
  readonly warnings: readonly string[]
  /** Fee, gas limit and nonce of what would be sent now, once they are known. */
  readonly costs?: readonly SummaryField[] | undefined
  /** True if the simulation says that it will fail; otherwise absent. */
  readonly willFail?: true
}

export interface SummaryField {
  readonly label: string
  readonly value: string
  /** The call that `value` shows in one line, in parts. */
  readonly call?: DecodedCall | undefined
}

/** A request waiting for a decision. */
export interface PendingRequest {
  /** A decimal number that rises with every request of the wallet. */
  readonly id: string
  /** `default`, or the name in `/wallet/s/<name>`. */
  readonly session: string
  readonly method: string
  /** As the client sent them. */
  readonly params: unknown
  /** Origin of the page; `null` for clients other than browsers. */
  readonly origin: string | null
  /** ms since the epoch. */
  readonly received: number
  /** ms since the epoch; `null` if there is none. */
  readonly deadline: number | null
  readonly summary: RequestSummary
}

/**
 * The end of a request. `automatic`: no decision was needed; `invalid`: refused before a decision;
 * `expired`: the deadline passed; `withdrawn`: the client gave up, or a reset or a switch of the
 * chain cancelled it.
 */
export type WalletDecision =
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'automatic'
  | 'invalid'

/** An answered request. Reads such as `eth_accounts` and `eth_call` are not recorded. */
export interface HistoryEntry extends PendingRequest {
  readonly decision: WalletDecision
  /** The one that decided; `policy` also if no decision was needed. */
  readonly decidedBy: 'policy' | 'control' | 'page' | 'deadline' | 'client'
  /** ms since the epoch. */
  readonly decided: number
  /** The answer sent to the client. An approved request may still end in an error. */
  readonly answer: { readonly result: unknown } | { readonly error: WalletErrorBody }
  /**
   * True if it sent a transaction that is not on the node's chain any more, after a revert or a
   * reset, and does not wait for it. Otherwise absent.
   */
  readonly isTakenBack?: true
}

/** Selects requests; an omitted field matches all. */
export interface HistoryFilter {
  readonly method?: string | undefined
  /** `null` for clients other than browsers. */
  readonly origin?: string | null | undefined
  readonly decision?: WalletDecision | undefined
  /** Only requests after the one with this id. */
  readonly after?: string | undefined
  /** Maximum number of entries; only the newest are returned. Default: no limit. */
  readonly limit?: number | undefined
}

/** Filter of {@link WalletControl.waitFor}. */
export interface WaitForFilter {
  readonly method?: string | undefined
  readonly origin?: string | null | undefined
  /** Only a request after the one with this id. */
  readonly after?: string | undefined
  /** ms to wait. Default: 5,000. */
  readonly timeout?: number | undefined
}

/** A connected page or client. */
export interface WalletConnection {
  readonly origin: string | null
  readonly accounts: readonly Hex[]
}

/** An account as the approval page shows it. */
export interface WalletAccount {
  /** With its checksum (EIP-55). */
  readonly address: Hex
  /** Its number among the node's accounts; `null` for an account that the node has no key of. */
  readonly number: number | null
  /**
   * On the active chain, pre-confirmed, in wei, hexadecimal. `null` if that chain is not on this
   * machine, or does not answer within a second.
   */
  readonly balance: Hex | null
}

/** State of a session. */
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
  /** Address of the node's dashboard, without its token; `null` without one. */
  readonly dashboardUrl: string | null
}

/**
 * Acts as the user of the mock wallet. Also available over JSON-RPC: `POST /wallet/control`, with
 * `control_` before each method name.
 *
 * @example
 * await devnet.wallet.policy({ default: 'hold' })
 * // The dApp under test asks to add a chain.
 * const { id } = await devnet.wallet.waitFor({ method: 'wallet_addEthereumChain' })
 * await devnet.wallet.reject(id)
 */
export interface WalletControl {
  /**
   * Endpoint for dApps, e.g. `http://127.0.0.1:8545/wallet`.
   *
   * @throws {Error} before the node has started
   */
  readonly url: string
  /** Token of the control API. Random in each run, unless `PENDING_NODE_WALLET_TOKEN` sets it. */
  readonly token: string
  /** Address of the approval page, with the token. @throws {Error} before the node has started */
  readonly pageUrl: string
  /**
   * A separate wallet with its own chains, connections, policy, queue and history. Beyond 250
   * sessions, the one idle for longest is reset.
   *
   * @param name - 1 to 64 letters, digits, `_` or `-`
   */
  session(name: string): WalletControl
  state(): Promise<WalletState>
  /** The waiting requests, oldest first. */
  pending(): Promise<readonly PendingRequest[]>
  /**
   * Approves a waiting request; resolves when it has been answered.
   *
   * @param options - `account`: the account to connect; default: the selected one
   * @throws {DevnetError} code -32602 if no such request is waiting
   */
  approve(id: string, options?: { readonly account?: Hex | undefined }): Promise<void>
  /**
   * Rejects a waiting request; resolves when it has been answered.
   *
   * @param error - the error that the client gets. Default: code 4001
   * @throws {DevnetError} code -32602 if no such request is waiting
   */
  reject(id: string, error?: Partial<WalletErrorBody>): Promise<void>
  /** Changes the policy for future requests; without a change, only returns it. */
  policy(change?: PolicyChange): Promise<Policy>
  /** The answered requests, oldest first. */
  history(filter?: HistoryFilter): Promise<readonly HistoryEntry[]>
  /**
   * Resolves with the oldest waiting request, or with the next one.
   *
   * @throws {DevnetError} code -32000 if none comes within the timeout
   */
  waitFor(filter?: WaitForFilter & { readonly state?: 'pending' }): Promise<PendingRequest>
  /** Resolves with the newest answered request, or with the next one. */
  waitFor(filter: WaitForFilter & { readonly state: 'decided' }): Promise<HistoryEntry>
  /** Selects an account, also for connected pages. It can sign only if the node has its key. */
  switchAccount(account: Hex): Promise<void>
  /** All accounts, the selected one first, with their numbers and balances. */
  accounts(): Promise<readonly WalletAccount[]>
  /**
   * Makes a known chain active, as a user does by hand. Pages receive `chainChanged`; requests
   * that were bound to the chain before are withdrawn.
   *
   * @throws {DevnetError} code -32602 if the wallet does not know the chain
   */
  switchChain(chainId: Hex): Promise<void>
  /** Disconnects one page, or all of them if no origin is given. */
  disconnect(options?: { readonly origin?: string | null | undefined }): Promise<void>
  /**
   * Restores the initial chains, connections, policy and account, and clears the history. Waiting
   * requests are rejected and not recorded.
   */
  reset(): Promise<void>
  /** The provider script as text, e.g. for Playwright's `addInitScript`. */
  providerScript(settings?: ProviderSettings): Promise<string>
}
