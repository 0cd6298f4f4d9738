import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WalletSettings } from '../../options/walletOptions.ts'
import { OptionError } from '../../primitives/errors.ts'
import { lazy } from '../../primitives/memo.ts'
import { RequestGivenUpError } from '../../server/requestCaller.ts'
import type { User } from './controlCommands.ts'
import type { WalletNode } from './types.ts'
import type { Wallet } from './wallet.ts'

const TOKEN_VARIABLE = 'PENDING_NODE_WALLET_TOKEN'
/** A token from the environment must be hard to guess and fit into a header and a URL. */
const TOKEN = /^[A-Za-z0-9._~-]{16,}$/

/** Access to the wallet that loads its code on first use. */
export class WalletHandle {
  /** Loads the wallet on the first call. */
  readonly wallet: () => Promise<Wallet>
  readonly #stopped = new AbortController()
  #token: string | undefined

  /** @param createNode - returns the wallet's view of the node; throws while it is not running */
  constructor({
    createNode,
    ...parameters
  }: {
    readonly settings: WalletSettings
    readonly createNode: () => WalletNode
    readonly onInternalError: (error: unknown) => void
  }) {
    this.wallet = lazy(async () => {
      const node = createNode()
      const { Wallet } = await import('./wallet.ts')
      return new Wallet({ ...parameters, node })
    })
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

  /** Whether `given` is the token. Compares in constant time. */
  isToken(given: string): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(given), digest(this.token))
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

  /** Cancels commands waiting in this process; the server cancels those of its clients. */
  close(): void {
    this.#stopped.abort(new RequestGivenUpError('the node is stopping'))
  }
}
