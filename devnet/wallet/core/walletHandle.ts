import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WalletSettings } from '../../options/walletOptions.ts'
import { OptionError } from '../../primitives/errors.ts'
import { RequestGivenUpError } from '../../server/requestCaller.ts'
import type { User } from './controlCommands.ts'
import type { WalletNode } from './types.ts'
import type { Wallet } from './wallet.ts'

export interface WalletHandleParameters {
  readonly settings: WalletSettings
  /** @throws {Error} while the node is not running */
  readonly createNode: () => WalletNode
  readonly onInternalError: (error: unknown) => void
}

const TOKEN_VARIABLE = 'PENDING_NODE_WALLET_TOKEN'
/** A given token must be hard to guess and fit into a header and a URL. */
const TOKEN = /^[A-Za-z0-9._~-]{16,}$/

/** The wallet before its first use, without the code that it needs then. */
export class WalletHandle {
  readonly #parameters: WalletHandleParameters
  readonly #stopped = new AbortController()
  #token: string | undefined
  #wallet: Promise<Wallet> | undefined

  constructor(parameters: WalletHandleParameters) {
    this.#parameters = parameters
  }

  /** Token of the control API: from the environment, or random for this run. */
  get token(): string {
    this.#token ??= process.env[TOKEN_VARIABLE] ?? randomBytes(32).toString('base64url')
    return this.#token
  }

  /** Checks the token from the environment. @throws {OptionError} */
  checkToken(): void {
    const given = process.env[TOKEN_VARIABLE]
    if (given === undefined || TOKEN.test(given)) return
    throw new OptionError(
      `${TOKEN_VARIABLE} must have at least 16 characters, of letters, digits and . _ ~ -`,
    )
  }

  /** Compares in constant time. */
  isToken(given: string): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(given), digest(this.token))
  }

  /** The wallet, loaded on first use. */
  wallet(): Promise<Wallet> {
    this.#wallet ??= this.#load()
    return this.#wallet
  }

  async #load(): Promise<Wallet> {
    const { settings, createNode, onInternalError } = this.#parameters
    try {
      const node = createNode()
      const { Wallet } = await import('./wallet.ts')
      return new Wallet({ settings, node, onInternalError })
    } catch (error) {
      this.#wallet = undefined
      throw error
    }
  }

  /** Runs a command of the control API. @throws {DevnetError} */
  async control(
    method: string,
    params: unknown,
    user: User = { by: 'control', signal: this.#stopped.signal },
  ): Promise<unknown> {
    const wallet = await this.wallet()
    const { control } = await import('./controlCommands.ts')
    return control(wallet, method, params, user)
  }

  /** Cancels waiting commands of this process; the server cancels those of its clients. */
  close(): void {
    this.#stopped.abort(new RequestGivenUpError('the node is stopping'))
  }
}
