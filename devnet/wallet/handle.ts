import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { OptionError } from '../errors.ts'
import { RequestGivenUpError } from '../server/requestCaller.ts'
import type { Hex } from '../types.ts'
import type { Person } from './control.ts'
import type { WalletSettings } from './options.ts'
import type {
  HistoryEntry,
  HistoryFilter,
  PendingRequest,
  Policy,
  PolicyChange,
  ProviderSettings,
  WaitForFilter,
  WalletControl,
  WalletErrorBody,
  WalletState,
} from './types.ts'
import type { Wallet } from './wallet.ts'
import type { WalletNode } from './walletNode.ts'

/** What {@link WalletHandle} works with. */
export interface WalletHandleParameters {
  readonly settings: WalletSettings
  /** The node, while it runs. @throws {Error} otherwise */
  readonly node: () => Promise<WalletNode>
  /** Where the wallet's server listens. @throws {Error} while the node does not run */
  readonly serverUrl: () => string
  readonly onDefect: (error: unknown) => void
}

const TOKEN_VARIABLE = 'PENDING_NODE_WALLET_TOKEN'
/** A token that somebody chose: shorter ones can be guessed. */
const TOKEN = /^[A-Za-z0-9._~-]{16,}$/

/** The wallet of a node before anybody uses it: all of it that is loaded with the node. */
export class WalletHandle {
  readonly settings: WalletSettings
  readonly onDefect: (error: unknown) => void
  readonly #node: () => Promise<WalletNode>
  readonly #serverUrl: () => string
  readonly #stopped = new AbortController()
  #token: string | undefined
  #wallet: Promise<Wallet> | undefined

  constructor({ settings, node, serverUrl, onDefect }: WalletHandleParameters) {
    this.settings = settings
    this.#node = node
    this.#serverUrl = serverUrl
    this.onDefect = onDefect
  }

  get serverUrl(): string {
    return this.#serverUrl()
  }

  /** What the control API asks for: a secret of this run, or of the environment, for those who start the node by a command. */
  get token(): string {
    this.#token ??= process.env[TOKEN_VARIABLE] ?? randomBytes(32).toString('base64url')
    return this.#token
  }

  /** Looks at the token that somebody chose, when the node starts. @throws {OptionError} */
  checkToken(): void {
    // It goes into a header and into an address.
    const given = process.env[TOKEN_VARIABLE]
    if (given === undefined || TOKEN.test(given)) return
    throw new OptionError(
      `${TOKEN_VARIABLE} must have at least 16 characters, of letters, digits and . _ ~ -`,
    )
  }

  /** Whether somebody knows the token; takes the same time for each that is wrong. */
  isToken(given: string): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(given), digest(this.token))
  }

  /** The wallet itself, loaded when it is first used. */
  wallet(): Promise<Wallet> {
    this.#wallet ??= this.#load()
    return this.#wallet
  }

  async #load(): Promise<Wallet> {
    const { settings, onDefect } = this
    try {
      const node = await this.#node()
      const { Wallet } = await import('./wallet.ts')
      const { wallClock } = await import('./clock.ts')
      return new Wallet({ settings, node, onDefect, clock: wallClock })
    } catch (error) {
      this.#wallet = undefined
      throw error
    }
  }

  /** Does what the person at the wallet wants. @throws {DevnetError} */
  async control(
    method: string,
    params: unknown,
    person: Person = { by: 'control', signal: this.#stopped.signal },
  ): Promise<unknown> {
    const wallet = await this.wallet()
    const { control } = await import('./control.ts')
    return control(wallet, method, params, person)
  }

  /** Ends what waits in this process; the server ends what its clients wait for. */
  close(): void {
    this.#stopped.abort(new RequestGivenUpError('the node is stopping'))
  }
}

/** See {@link WalletControl}. */
export class SessionControl implements WalletControl {
  readonly #handle: WalletHandle
  readonly #session: string

  constructor(handle: WalletHandle, session = 'default') {
    this.#handle = handle
    this.#session = session
  }

  get url(): string {
    const path = this.#session === 'default' ? '' : `/s/${this.#session}`
    return `${this.#handle.serverUrl}/wallet${path}`
  }

  get token(): string {
    return this.#handle.token
  }

  get pageUrl(): string {
    const { serverUrl, token } = this.#handle
    const session = this.#session === 'default' ? '' : `&session=${this.#session}`
    return `${serverUrl}/wallet/#${session === '' ? token : `token=${token}${session}`}`
  }

  session(name: string): WalletControl {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return new SessionControl(this.#handle, name)
    throw new Error('The name of a session must be 1 to 64 letters, digits, _ or -.')
  }

  // What the commands answer is what their types say: the same code makes both.
  state(): Promise<WalletState> {
    return this.#run('state') as Promise<WalletState>
  }

  pending(): Promise<readonly PendingRequest[]> {
    return this.#run('pending') as Promise<readonly PendingRequest[]>
  }

  async approve(id: string, options: { readonly account?: Hex | undefined } = {}): Promise<void> {
    await this.#run('approve', { id, ...options })
  }

  async reject(id: string, error: Partial<WalletErrorBody> = {}): Promise<void> {
    await this.#run('reject', { id, ...error })
  }

  policy(change: PolicyChange = {}): Promise<Policy> {
    return this.#run('policy', change) as Promise<Policy>
  }

  history(filter: HistoryFilter = {}): Promise<readonly HistoryEntry[]> {
    return this.#run('history', filter) as Promise<readonly HistoryEntry[]>
  }

  waitFor(filter?: WaitForFilter & { readonly state?: 'pending' }): Promise<PendingRequest>
  waitFor(filter: WaitForFilter & { readonly state: 'decided' }): Promise<HistoryEntry>
  waitFor(filter: WaitForFilter & { readonly state?: string } = {}): Promise<HistoryEntry> {
    return this.#run('waitFor', filter) as Promise<HistoryEntry>
  }

  async switchAccount(account: Hex): Promise<void> {
    await this.#run('switchAccount', { account })
  }

  async disconnect(options: { readonly origin?: string | null | undefined } = {}): Promise<void> {
    await this.#run('disconnect', options)
  }

  async reset(): Promise<void> {
    await this.#run('reset')
  }

  async providerScript(settings: ProviderSettings = {}): Promise<string> {
    const { providerScript } = await import('./browser/index.ts')
    return providerScript({ url: this.url, ...settings })
  }

  async #run(command: string, params: object = {}): Promise<unknown> {
    const all = { ...params, session: this.#session }
    // Nothing of the answer belongs to the wallet, so changing it changes nothing.
    return structuredClone(await this.#handle.control(`control_${command}`, all))
  }
}
