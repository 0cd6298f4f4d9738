/** Settings of a script passed on as text; a script tag carries them in its URL's query. */
export interface ProviderSettings {
  /** Endpoint, e.g. `http://127.0.0.1:8545/wallet`. Default: from the script's own URL. */
  readonly url?: string | undefined
  /** True to replace another wallet's `window.ethereum`. Default: false. */
  readonly overwrite?: boolean | undefined
  /** True to set `isMetaMask`, for dApps that accept no other wallet. Default: false. */
  readonly metamask?: boolean | undefined
  /** Name in a dApp's list of wallets. Default: `Devnet Wallet`, or `Devnet Wallet (<session>)`. */
  readonly name?: string | undefined
  /**
   * EIP-6963 identity. Default: `localhost.pending-node`, or `localhost.pending-node.<session>`.
   */
  readonly rdns?: string | undefined
  /**
   * Name of a function in `window` that takes a JSON-RPC request as text and resolves with the
   * answer as text. With it, the page needs no connection of its own, which browsers and content
   * policies forbid to some pages.
   */
  readonly bridge?: string | undefined
}

/** Complete settings of one provider. */
export type ResolvedSettings = { readonly endpoint: string } & {
  readonly [Name in 'overwrite' | 'metamask' | 'name' | 'rdns']: NonNullable<ProviderSettings[Name]>
} & Pick<ProviderSettings, 'bridge'>

const RDNS = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

/**
 * Merges the given settings with those in the script's address.
 *
 * @param source - address of the script; `undefined` if it has none
 * @throws {Error} if neither contains the endpoint
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
    console.warn(`Devnet wallet: ${JSON.stringify(rdns)} is not a reverse domain name; ignored.`)
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

function isOn(value: string | null): boolean {
  return value === '' || value === '1' || value === 'true'
}

/** Differs by session: dApps list each rdns once. `localhost` is reserved (RFC 6761). */
function defaultRdns(session: string | undefined): string {
  const domain = 'localhost.pending-node'
  return session === undefined ? domain : `${domain}.${session.replaceAll('_', '-')}`
}
