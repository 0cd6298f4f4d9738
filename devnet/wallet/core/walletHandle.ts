import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WalletSettings } from '../../options/walletOptions.ts'
import { OptionError } from '../../primitives/errors.ts'
import { RequestGivenUpError } from '../../server/requestCaller.ts'
import type { ControlDoor } from '../connectWallet.ts'
import type { Person } from './controlCommands.ts'
import type { Wallet } from './wallet.ts'
import type { WalletNode } from './walletNode.ts'

/** What {@link WalletHandle} works with. */
export interface WalletHandleParameters {
  readonly settings: WalletSettings
  /** The node, while it runs. @throws {Error} otherwise */
  readonly node: () => Promise<WalletNode>
  /** Where the wallet's server listens. @throws {Error} while the node does not run */
  readonly serverUrl: () => string
  readonly onInternalError: (error: unknown) => void
}

const TOKEN_VARIABLE = 'PENDING_NODE_WALLET_TOKEN'
/** A token that somebody chose: shorter ones can be guessed. */
const TOKEN = /^[A-Za-z0-9._~-]{16,}$/

/** The wallet of a node before anybody uses it: all of it that is loaded with the node. */
export class WalletHandle implements ControlDoor {
  readonly settings: WalletSettings
  readonly onInternalError: (error: unknown) => void
  readonly #node: () => Promise<WalletNode>
  readonly #serverUrl: () => string
  readonly #stopped = new AbortController()
  #token: string | undefined
  #wallet: Promise<Wallet> | undefined

  constructor({ settings, node, serverUrl, onInternalError }: WalletHandleParameters) {
    this.settings = settings
    this.#node = node
    this.#serverUrl = serverUrl
    this.onInternalError = onInternalError
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
    const { settings, onInternalError } = this
    try {
      const node = await this.#node()
      const { Wallet } = await import('./wallet.ts')
      const { wallClock } = await import('./walletClock.ts')
      return new Wallet({ settings, node, onInternalError, clock: wallClock })
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
    const { control } = await import('./controlCommands.ts')
    return control(wallet, method, params, person)
  }

  /** Ends what waits in this process; the server ends what its clients wait for. */
  close(): void {
    this.#stopped.abort(new RequestGivenUpError('the node is stopping'))
  }
}
