import type { WalletSettings } from '../../options/walletOptions.ts'
import type { Hex } from '../../primitives/hex.ts'
import {
  accepts,
  anything,
  choice,
  integer,
  listOf,
  mapped,
  nullish,
  objectOf,
  type Reader,
  refuse,
  text,
} from '../../primitives/reader.ts'
import { isLoopback } from '../../server/access.ts'
import type { ProbeOutcome } from '../core/probe.ts'
import type { RequestContext } from '../core/requestContext.ts'
import type { WalletMethod } from '../core/types.ts'
import { UnknownChainError, WalletParamsError } from '../core/walletErrors.ts'
import { CHAIN_ID, list, readParams } from '../core/walletParams.ts'
import type { RequestSummary, WalletChain } from '../types.ts'

/** Adds a chain (EIP-3085): checks the request, probes its RPC URLs, then asks the user. */
export default {
  async handle(context, params) {
    const { session, client } = context
    const { settings } = session.wallet
    const [added] = readParams(addedChain(settings.profile), params, settings)
    const { hasCurrency, ...chain } = added
    checkKnown(context, added)
    const outcomes = await probe(context, chain)

    const known = session.chains.find(chain.chainId)
    // Without a prompt nothing changes: other pages rely on the chain as the user approved it.
    if (isInUse(context, chain.chainId) && settings.profile !== 'eip3085') return null
    // For privacy, EIP-3085 demands a prompt for known chains too.
    const summary = summarize(chain, known, outcomes)
    await context.ask({ summary, chainId: chain.chainId, isExclusive: true })
    // The known chain may have changed while the user was asked.
    const before = session.chains.find(chain.chainId)
    session.chains.add({
      ...chain,
      nativeCurrency:
        hasCurrency || before === undefined ? chain.nativeCurrency : before.nativeCurrency,
      rpcUrls: bestFirst(chain.rpcUrls, outcomes),
    })
    if (session.afterAdd(client.origin) === 'switch') session.activate(chain.chainId)
    session.changed()
    return null
  },
} satisfies WalletMethod

/** @throws {DevnetError} if the chain may not be added, or is known with another symbol */
function checkKnown({ session }: RequestContext, added: AddedChain): void {
  const { chainId, nativeCurrency, hasCurrency } = added
  const known = session.chains.find(chainId)
  if (known === undefined) {
    const { addableChains } = session.wallet.settings
    if (addableChains === undefined || addableChains.includes(chainId)) return
    throw new UnknownChainError(chainId, 'The wallet is configured to add only some chains.')
  }
  const { symbol } = known.nativeCurrency
  if (!hasCurrency || symbol === nativeCurrency.symbol) return
  const expected = `that of the known chain (${symbol})`
  const given = nativeCurrency.symbol
  throw new WalletParamsError('nativeCurrency.symbol', 'symbol-mismatch', expected, given)
}

/**
 * Probes each RPC URL. None may answer with another chain id, and at least one must answer unless
 * some are not asked.
 *
 * @throws {WalletParamsError} otherwise
 */
async function probe(
  { session }: RequestContext,
  { chainId, rpcUrls }: WalletChain,
): Promise<ReadonlyMap<string, ProbeOutcome>> {
  const asked = Array.from(
    new Set(rpcUrls),
    async (url) => [url, await session.wallet.probe(url, chainId)] as const,
  )
  const outcomes = new Map(await Promise.all(asked))
  const wrong = rpcUrls.findIndex((url) => outcomes.get(url) === 'mismatch')
  if (wrong >= 0) {
    const expected = `an RPC of chain ${chainId}; it answers eth_chainId with another id`
    throw new WalletParamsError(`rpcUrls[${wrong}]`, 'mismatch', expected, rpcUrls[wrong])
  }
  if ([...outcomes.values()].some((outcome) => outcome !== 'no answer')) return outcomes
  const expected = 'a list with an RPC that answers eth_chainId; none did'
  throw new WalletParamsError('rpcUrls', 'unreachable', expected, rpcUrls)
}

function isInUse({ session }: RequestContext, chainId: Hex): boolean {
  const { chains, wallet } = session
  if (chainId !== chains.active) return false
  return chainId === wallet.node.chainId || chains.find(chainId)?.rpcUrls.length !== 0
}

/** Puts URLs that answered with the right chain id first: the wallet uses only the first URL. */
function bestFirst(
  urls: readonly string[],
  outcomes: ReadonlyMap<string, ProbeOutcome>,
): readonly string[] {
  const isMatch = (url: string) => outcomes.get(url) === 'match'
  return [...urls.filter(isMatch), ...urls.filter((url) => !isMatch(url))]
}

function summarize(
  chain: WalletChain,
  known: WalletChain | undefined,
  outcomes: ReadonlyMap<string, ProbeOutcome>,
): RequestSummary {
  const { chainId, chainName, nativeCurrency, rpcUrls, blockExplorerUrls } = chain
  const { name, symbol, decimals } = nativeCurrency
  const warnings = [...outcomes].flatMap(([url, outcome]) => {
    if (outcome === 'no answer') return [`${url} does not answer.`]
    return outcome === 'not asked' ? [`${url} was not asked for its chain ID.`] : []
  })
  // A devnet of the user's own is on no list of chains.
  const isOwn = rpcUrls.every((url) => isLoopback(new URL(url).hostname))
  if (known === undefined && !isOwn) {
    warnings.unshift(
      `The wallet does not know chain ${BigInt(chainId)}: what the page says about it may be wrong.`,
    )
  } else if (known !== undefined && known.chainName !== chainName) {
    warnings.unshift(`The wallet knows this network as “${known.chainName}”.`)
  }
  return {
    title: known === undefined ? 'Add a network' : 'Replace a known network',
    detail: chainName,
    fields: [
      { label: 'Network', value: chainName },
      { label: 'Chain ID', value: `${BigInt(chainId)} (${chainId})` },
      { label: 'Currency', value: `${name} (${symbol}), ${decimals} decimals` },
      ...rpcUrls.map((value) => ({ label: 'RPC URL', value })),
      ...blockExplorerUrls.map((value) => ({ label: 'Block explorer', value })),
    ],
    warnings,
  }
}

const MAX_URL_LENGTH = 2048
/** Maximum number of characters of an inline image, which is not decoded. */
const MAX_ICON_LENGTH = 64 * 1024
const INLINE_IMAGE = /^data:image\/[a-z0-9.+-]+[;,]/i

/** An https URL or, with `allowsLocal`, an http URL of this machine. */
function webUrl(allowsLocal: boolean): Reader<string> {
  return mapped(text(), (value, context) => {
    if (value.length > MAX_URL_LENGTH) {
      return refuse(context, value, `at most ${MAX_URL_LENGTH} characters long`, 'length')
    }
    if (!URL.canParse(value)) return refuse(context, value, 'a URL', 'format')
    const { protocol, hostname, username, password } = new URL(value)
    if (username !== '' || password !== '') {
      return refuse(context, value, 'a URL without user name and password', 'format')
    }
    if (protocol === 'https:') return value
    if (protocol === 'http:' && allowsLocal && isLoopback(hostname)) return value
    const local = allowsLocal ? ', or an http URL of this machine' : ''
    return refuse(context, value, `an https URL${local}`, 'scheme')
  })
}

/** A URL as in {@link webUrl}, or an image in a data URL. */
function icon(allowsLocal: boolean): Reader<string> {
  const url = webUrl(allowsLocal)
  return mapped(text(), (value, context) => {
    if (!INLINE_IMAGE.test(value)) return url(value, context)
    if (value.length <= MAX_ICON_LENGTH) return value
    return refuse(context, value, `at most ${MAX_ICON_LENGTH} characters long`, 'length')
  })
}

/** The requested chain (EIP-3085). */
interface AddedChain extends WalletChain {
  /** True if the request names the currency; if not, ether is assumed. */
  readonly hasCurrency: boolean
}

/** Most URLs per list, since each RPC URL is probed. */
const MAX_URLS = 20
const ICONS = { max: MAX_URLS, length: `a list of at most ${MAX_URLS} URLs` }
const MAX_NAME_LENGTH = 100
const LONG_NAME = `at most ${MAX_NAME_LENGTH} characters long`

/**
 * The parameters for a profile. Only the first problem is told, so the most important fields come
 * first.
 */
function addedChain(profile: WalletSettings['profile']): Reader<[AddedChain]> {
  const isMetaMask = profile === 'metamask'
  const name = mapped(text(), (value, context) => {
    if (value.trim() === '') return refuse(context, value, 'not empty', 'length')
    if (isMetaMask || value.length <= MAX_NAME_LENGTH) return value
    return refuse(context, value, LONG_NAME, 'length')
  })
  const shape = objectOf({
    fields: {
      chainId: CHAIN_ID,
      chainName: profile === 'eip3085' ? nullish(name) : name,
      nativeCurrency: profile === 'devnet' ? currency(profile) : nullish(currency(profile)),
      rpcUrls: urls('rpcUrls', profile, 1),
      blockExplorerUrls: nullish(urls('blockExplorerUrls', profile, isMetaMask ? 1 : 0)),
      iconUrls: nullish(listOf(icon(profile !== 'eip3085'), 'a list of URLs', ICONS)),
    },
    what: 'an object that describes a chain',
    isStrict: isMetaMask,
    strictly: 'without unknown fields',
  })
  const chain = mapped(shape, (added): AddedChain => {
    const { chainId, chainName, nativeCurrency, rpcUrls, blockExplorerUrls, iconUrls } = added
    return {
      chainId,
      chainName: (chainName ?? `Chain ${BigInt(chainId)}`).slice(0, MAX_NAME_LENGTH),
      nativeCurrency: nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
      hasCurrency: nativeCurrency !== undefined,
      rpcUrls,
      blockExplorerUrls: blockExplorerUrls ?? [],
      iconUrls: iconUrls ?? [],
    }
  })
  return list([chain], 'one object that describes a chain')
}

function currency(profile: WalletSettings['profile']): Reader<WalletChain['nativeCurrency']> {
  const longest = profile === 'metamask' ? 6 : 11
  return objectOf({
    fields: {
      name: text('a string', { max: MAX_NAME_LENGTH, length: LONG_NAME }),
      symbol: mapped(text(), (value, context) =>
        value.trim() !== '' && value.length <= longest
          ? value
          : refuse(context, value, `1 to ${longest} characters long`, 'length'),
      ),
      decimals:
        profile === 'metamask' ? choice([18], 'the number 18') : integer({ min: 0, max: 255 }),
    },
    what: 'an object with name, symbol and decimals',
  })
}

/** A list of `least` or more URLs. MetaMask ignores bad ones; EIP-3085 rejects the whole list. */
function urls(
  field: string,
  profile: WalletSettings['profile'],
  least: number,
): Reader<readonly string[]> {
  const url = webUrl(profile !== 'eip3085')
  const bounds = { min: least, max: MAX_URLS, length: `a list of ${least} to ${MAX_URLS} URLs` }
  if (profile !== 'metamask') return listOf(url, 'a list of URLs', bounds)
  return mapped(listOf(anything, 'a list of URLs', bounds), (entries, context) => {
    const good = entries.filter((entry) => accepts(url, entry))
    if (good.length > 0) return good.map(String)
    return refuse(context, entries, `a list with at least one https URL (${field})`, 'format')
  })
}
