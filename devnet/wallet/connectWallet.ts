import { reasonOf } from '../primitives/errors.ts'
import { boundedText } from '../primitives/foreign.ts'
import { isObject, jsonIn } from '../primitives/json.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { readError } from '../rpc/jsonRpc.ts'
import type { HistoryEntry, ProviderSettings, WalletControl } from './types.ts'

/** Bytes of the longest answer: a history may be long. */
const LARGEST_ANSWER = 64 << 20

/** ms that the wallet has to answer, and that any wait may take. */
const [PATIENCE, LONGEST_WAIT] = [60_000, MAX_TIMER_DELAY] as const

const NAME = '[A-Za-z0-9_-]{1,64}'

export const SESSION_NAME = new RegExp(`^${NAME}$`)

/** Path of a session. The first group is its name, missing for the default session. */
export const SESSION_PATH = `/wallet(?:/s/(${NAME}))?`

/** Carries control commands to the wallet, in this process or over HTTP. */
export interface ControlTransport {
  /** Base URL of the wallet's server, without `/wallet`. @throws {Error} while it is not running */
  readonly serverUrl: string
  readonly token: string
  /** Runs a command such as `control_state`. @throws {DevnetError} */
  control(method: string, params: object): Promise<unknown>
}

/**
 * Controls the mock wallet of a node in another process, e.g. Playwright's `webServer`, as
 * `devnet.wallet` does in the node's own process. Each command is one HTTP request and fails if the
 * node is not running.
 *
 * @throws {Error} if there is no token, or if the URL is malformed
 *
 * @example
 * const wallet = connectWallet({ url: 'http://127.0.0.1:8545/wallet', token })
 * await wallet.policy({ default: 'hold' })
 * const { id } = await wallet.waitFor({ method: 'wallet_addEthereumChain' })
 * await wallet.reject(id)
 */
export function connectWallet({
  url = 'http://127.0.0.1:8545/wallet',
  token = process.env.PENDING_NODE_WALLET_TOKEN,
}: WalletAddress = {}): WalletControl {
  if (token === undefined || token === '') {
    throw new Error(
      'connectWallet needs the token of the wallet: set PENDING_NODE_WALLET_TOKEN for the node and for the tests, or pass { token }.',
    )
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`connectWallet needs the address of the wallet, not ${JSON.stringify(url)}.`)
  }
  const { origin, pathname } = new URL(url)
  const transport: ControlTransport = {
    serverUrl: origin,
    token,
    control: (method, params) => post(`${origin}/wallet/control`, token, method, params),
  }
  const session = new RegExp(`${SESSION_PATH}$`).exec(pathname)?.[1]
  return new SessionControl(transport, session)
}

/** The {@link WalletControl} of one session, over any transport. */
export class SessionControl implements WalletControl {
  readonly #transport: ControlTransport
  readonly #session: string

  constructor(transport: ControlTransport, session = 'default') {
    this.#transport = transport
    this.#session = session
  }

  get url(): string {
    const path = this.#session === 'default' ? '' : `/s/${this.#session}`
    return `${this.#transport.serverUrl}/wallet${path}`
  }

  get token(): string {
    return this.#transport.token
  }

  get pageUrl(): string {
    const { serverUrl, token } = this.#transport
    const session = this.#session === 'default' ? '' : `&session=${this.#session}`
    return `${serverUrl}/wallet/#${session === '' ? token : `token=${token}${session}`}`
  }

  session(name: string): WalletControl {
    if (typeof name === 'string' && SESSION_NAME.test(name))
      return new SessionControl(this.#transport, name)
    throw new Error('The name of a session must be 1 to 64 letters, digits, _ or -.')
  }

  readonly state: WalletControl['state'] = () => this.#run('state')
  readonly pending: WalletControl['pending'] = () => this.#run('pending')
  readonly approve: WalletControl['approve'] = (id, options) =>
    this.#do('approve', { id, ...options })
  readonly reject: WalletControl['reject'] = (id, error) => this.#do('reject', { id, ...error })
  readonly policy: WalletControl['policy'] = (change) => this.#run('policy', change)
  readonly history: WalletControl['history'] = (filter) => this.#run('history', filter)
  readonly waitFor: WalletControl['waitFor'] = (filter?: object) =>
    this.#run<HistoryEntry>('waitFor', filter)
  readonly switchAccount: WalletControl['switchAccount'] = (account) =>
    this.#do('switchAccount', { account })
  readonly accounts: WalletControl['accounts'] = () => this.#run('accounts')
  readonly switchChain: WalletControl['switchChain'] = (chainId) =>
    this.#do('switchChain', { chainId })
  readonly disconnect: WalletControl['disconnect'] = (options) => this.#do('disconnect', options)
  readonly reset: WalletControl['reset'] = () => this.#do('reset')

  async providerScript(settings: ProviderSettings = {}): Promise<string> {
    const { providerScript } = await import('./http/browserFiles.ts')
    return providerScript({ url: this.url, ...settings })
  }

  /** Runs a command that answers nothing. */
  async #do(command: string, params?: object): Promise<void> {
    await this.#run(command, params)
  }

  async #run<Answer>(command: string, params: object = {}): Promise<Answer> {
    const all = { ...params, session: this.#session }
    const answer = await this.#transport.control(`control_${command}`, all)
    // A copy, so that a caller in this process cannot change the wallet's own objects. The cast is
    // safe: the commands answer what WalletControl says.
    return structuredClone(answer) as Answer
  }
}

export interface WalletAddress {
  /** URL of the wallet or of its node. Default: `http://127.0.0.1:8545/wallet`. */
  readonly url?: string | undefined
  /** Token of the control API. Default: the environment variable `PENDING_NODE_WALLET_TOKEN`. */
  readonly token?: string | undefined
}

async function post(url: string, token: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    // No redirects: another server must not receive the token.
    redirect: 'error',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [params] }),
    // A wait that is asked for comes on top.
    signal: AbortSignal.timeout('timeout' in params ? LONGEST_WAIT : PATIENCE),
  }).catch((cause) => {
    throw new Error(`The wallet at ${url} cannot be reached: is the node running?`, { cause })
  })
  const text = await boundedText(response.body, LARGEST_ANSWER).catch((cause) => {
    throw new Error(`The wallet at ${url} gave no full answer: ${reasonOf(cause)}.`, { cause })
  })
  // A refusal may be in plain text.
  const answer = jsonIn(text)
  if (!isObject(answer)) {
    throw new Error(
      response.status === 200
        ? `${url} is not the wallet of a devnet.`
        : `The wallet at ${url} refuses ${method}: ${text.slice(0, 500)}`,
    )
  }
  if ('error' in answer) throw readError(answer.error, 'The wallet failed.')
  return answer.result
}
