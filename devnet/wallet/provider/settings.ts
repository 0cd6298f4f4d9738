/** What whoever hands out the script as text writes into it; a script tag says the same in its address. */
export interface ProviderSettings {
  /** Endpoint of the wallet, e.g. `http://127.0.0.1:8545/wallet`. Default: where the script was loaded from. */
  readonly url?: string | undefined
  /** Whether `window.ethereum` of another wallet is replaced. Default: false. */
  readonly overwrite?: boolean | undefined
  /** Whether the provider says `isMetaMask`, for dApps that take no other. Default: false. */
  readonly metamask?: boolean | undefined
  /** Name in the dApp's list of wallets. Default: `Devnet Wallet`, with the session in brackets. */
  readonly name?: string | undefined
  /** Identity in the dApp's list of wallets (EIP-6963). Default: `localhost.pending-node`, with the session. */
  readonly rdns?: string | undefined
  /**
   * Name of a function in `window` that takes a JSON-RPC request as text and resolves with the answer as text. With it
   * the page opens no connection of its own, which browsers and content policies deny to some pages.
   */
  readonly bridge?: string | undefined
}

/** The settings of one provider, complete. */
export interface ResolvedSettings {
  readonly endpoint: string
  readonly overwrite: boolean
  readonly metamask: boolean
  readonly name: string
  readonly rdns: string
  readonly bridge: string | undefined
}

const RDNS = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

/**
 * Joins what was written into the script with what its address says.
 *
 * @param source - address of the script; `undefined` where it was not loaded from one
 * @throws {Error} when neither says where the wallet is
 */
export function resolveSettings(
  given: ProviderSettings,
  source: string | undefined,
): ResolvedSettings {
  const from = source === undefined ? undefined : new URL(source)
  const endpoint = given.url ?? from?.href.replace(/\/provider\.js(?:[?#].*)?$/, '')
  if (endpoint === undefined) {
    throw new Error(
      'The script of the devnet wallet does not know where the wallet is: load it by a classic <script src="…/wallet/provider.js">, not as a module, or take its text from devnet.wallet.providerScript().',
    )
  }
  const query = from?.searchParams ?? new URLSearchParams()
  const session = /\/s\/([\w-]+)$/.exec(endpoint)?.[1]
  const rdns = given.rdns ?? query.get('rdns') ?? ''
  if (rdns !== '' && !RDNS.test(rdns)) {
    console.warn(`Devnet wallet: ${JSON.stringify(rdns)} is no reverse domain name; left out.`)
  }
  return {
    endpoint,
    overwrite: given.overwrite ?? isOn(query.get('overwrite')),
    metamask: given.metamask ?? isOn(query.get('metamask')),
    name: given.name ?? query.get('name') ?? `Devnet Wallet${session ? ` (${session})` : ''}`,
    rdns: RDNS.test(rdns) ? rdns : defaultRdns(session),
    bridge: given.bridge,
  }
}

function isOn(knob: string | null): boolean {
  return knob === '' || knob === '1' || knob === 'true'
}

/** One for each session, since dApps show wallets of the same rdns once; in a domain that nobody can own (RFC 6761). */
function defaultRdns(session: string | undefined): string {
  const domain = 'localhost.pending-node'
  return session === undefined ? domain : `${domain}.${session.replaceAll('_', '-')}`
}
