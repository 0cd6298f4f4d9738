import type { Hex } from '../types.ts'
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

/** The way to a wallet: in this process, or over HTTP. */
export interface ControlDoor {
  /** Where the wallet's server listens. @throws {Error} while it does not */
  readonly serverUrl: string
  readonly token: string
  /** Gives a command, such as `control_state`. @throws {DevnetError} */
  control(method: string, params: object): Promise<unknown>
}

/** See {@link WalletControl}. */
export class SessionControl implements WalletControl {
  readonly #door: ControlDoor
  readonly #session: string

  constructor(door: ControlDoor, session = 'default') {
    this.#door = door
    this.#session = session
  }

  get url(): string {
    const path = this.#session === 'default' ? '' : `/s/${this.#session}`
    return `${this.#door.serverUrl}/wallet${path}`
  }

  get token(): string {
    return this.#door.token
  }

  get pageUrl(): string {
    const { serverUrl, token } = this.#door
    const session = this.#session === 'default' ? '' : `&session=${this.#session}`
    return `${serverUrl}/wallet/#${session === '' ? token : `token=${token}${session}`}`
  }

  session(name: string): WalletControl {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return new SessionControl(this.#door, name)
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
    return structuredClone(await this.#door.control(`control_${command}`, all))
  }
}
