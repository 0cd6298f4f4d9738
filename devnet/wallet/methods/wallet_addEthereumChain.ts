import * as z from 'zod'
import type { WalletSettings } from '../../options/walletOptions.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isLoopback } from '../../server/access.ts'
import type { ProbeOutcome } from '../core/probe.ts'
import type { RequestContext } from '../core/requestContext.ts'
import type { WalletMethod } from '../core/types.ts'
import { UnknownChainError, WalletParamsError } from '../core/walletErrors.ts'
import {
  CHAIN_ID,
  type Context,
  list,
  must,
  nested,
  readParams,
  refuse,
} from '../core/walletParams.ts'
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
  throw new WalletParamsError(
    'nativeCurrency.symbol',
    'symbol-mismatch',
    `that of the known chain (${symbol})`,
    nativeCurrency.symbol,
  )
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
  const urls = [...new Set(rpcUrls)]
  const outcomes = new Map(
    await Promise.all(
      urls.map(async (url) => [url, await session.wallet.probe(url, chainId)] as const),
    ),
  )
  const all = [...outcomes.values()]
  const wrong = rpcUrls.findIndex((url) => outcomes.get(url) === 'mismatch')
  if (wrong >= 0) {
    throw new WalletParamsError(
      `rpcUrls[${wrong}]`,
      'mismatch',
      `an RPC of chain ${chainId}; it answers eth_chainId with another id`,
      rpcUrls[wrong],
    )
  }
  if (all.includes('match') || all.includes('not asked')) return outcomes
  throw new WalletParamsError(
    'rpcUrls',
    'unreachable',
    'a list with an RPC that answers eth_chainId; none did',
    rpcUrls,
  )
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
    warnings: [
      ...(known === undefined
        ? rpcUrls.every((url) => isLoopback(new URL(url).hostname))
          ? // A devnet of the user's own, of which no list of chains knows.
            []
          : [
              `The wallet does not know chain ${BigInt(chainId)}: what the page says about it may be wrong.`,
            ]
        : known.chainName === chainName
          ? []
          : [`The wallet knows this network as “${known.chainName}”.`]),
      ...[...outcomes].flatMap(([url, outcome]) =>
        outcome === 'no answer'
          ? [`${url} does not answer.`]
          : outcome === 'not asked'
            ? [`${url} was not asked for its chain ID.`]
            : [],
      ),
    ],
  }
}

const MAX_URL_LENGTH = 2048
/** Maximum number of characters of an inline image, which is not decoded. */
const MAX_ICON_LENGTH = 64 * 1024
const INLINE_IMAGE = /^data:image\/[a-z0-9.+-]+[;,]/i

/** An https URL or, with `allowsLocal`, an http URL of this machine. */
function webUrl(allowsLocal: boolean): z.ZodType<string> {
  return z.string(must('a string')).transform((text, context) => {
    if (text.length > MAX_URL_LENGTH) {
      return refuse(context, 'length', `at most ${MAX_URL_LENGTH} characters long`)
    }
    if (!URL.canParse(text)) return refuse(context, 'format', 'a URL')
    const { protocol, hostname, username, password } = new URL(text)
    if (username !== '' || password !== '') {
      return refuse(context, 'format', 'a URL without user name and password')
    }
    if (protocol === 'https:') return text
    if (protocol === 'http:' && allowsLocal && isLoopback(hostname)) return text
    const local = allowsLocal ? ', or an http URL of this machine' : ''
    return refuse(context, 'scheme', `an https URL${local}`)
  })
}

/** A URL as in {@link webUrl}, or an image in a data URL. */
function icon(allowsLocal: boolean): z.ZodType<string> {
  const url = webUrl(allowsLocal)
  return z.string(must('a string')).transform((text, context) => {
    if (!INLINE_IMAGE.test(text)) return nested(url, text, context)
    if (text.length <= MAX_ICON_LENGTH) return text
    return refuse(context, 'length', `at most ${MAX_ICON_LENGTH} characters long`)
  })
}

/** The requested chain (EIP-3085). */
interface AddedChain extends WalletChain {
  /** Whether the request names the currency; if not, ether is assumed. */
  readonly hasCurrency: boolean
}

/** Most URLs per list, since each RPC URL is probed. */
const MAX_URLS = 20
const MAX_NAME_LENGTH = 100

/** Schema of the parameters for a profile, created on first use. */
function addedChain(profile: WalletSettings['profile']): z.ZodType<[AddedChain]> {
  SCHEMAS[profile] ??= makeSchema(profile)
  return SCHEMAS[profile]
}

const SCHEMAS: Partial<Record<WalletSettings['profile'], z.ZodType<[AddedChain]>>> = {}

// Ordered by importance: zod checks fields in this order, and only the first problem is reported.
function makeSchema(profile: WalletSettings['profile']): z.ZodType<[AddedChain]> {
  const isMetaMask = profile === 'metamask'
  const isOptional = profile !== 'devnet'
  const name = z
    .string(must('a string'))
    .refine((text) => text.trim() !== '', { ...must('not empty'), params: { reason: 'length' } })
    .refine((text) => isMetaMask || text.length <= MAX_NAME_LENGTH, {
      ...must(`at most ${MAX_NAME_LENGTH} characters long`),
      params: { reason: 'length' },
    })
  const fields = {
    chainId: CHAIN_ID,
    chainName: profile === 'eip3085' ? name.nullish() : name,
    nativeCurrency: isOptional ? currency(profile).nullish() : currency(profile),
    rpcUrls: urls('rpcUrls', profile, 1),
    blockExplorerUrls: urls('blockExplorerUrls', profile, isMetaMask ? 1 : 0).nullish(),
    iconUrls: z
      .array(icon(profile !== 'eip3085'), must('a list of URLs'))
      .max(MAX_URLS, must(`a list of at most ${MAX_URLS} URLs`))
      .nullish(),
  }
  const what = 'an object that describes a chain'
  const shape = isMetaMask
    ? z.strictObject(fields, {
        error: (issue) => (issue.code === 'unrecognized_keys' ? 'without unknown fields' : what),
      })
    : z.object(fields, must(what))
  const chain = shape.transform((added): AddedChain => {
    const { chainId, chainName, nativeCurrency, rpcUrls, blockExplorerUrls, iconUrls } = added
    return {
      chainId,
      chainName: (chainName ?? `Chain ${BigInt(chainId)}`).slice(0, MAX_NAME_LENGTH),
      nativeCurrency: nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
      hasCurrency: nativeCurrency !== null && nativeCurrency !== undefined,
      rpcUrls,
      blockExplorerUrls: blockExplorerUrls ?? [],
      iconUrls: iconUrls ?? [],
    }
  })
  return list([chain], 'one object that describes a chain')
}

function currency(profile: WalletSettings['profile']): z.ZodType<WalletChain['nativeCurrency']> {
  const longest = profile === 'metamask' ? 6 : 11
  const symbol = z.string(must('a string')).transform((text, context) => {
    if (text.trim() !== '' && text.length <= longest) return text
    return refuse(context, 'length', `1 to ${longest} characters long`)
  })
  const decimals =
    profile === 'metamask'
      ? z.literal(18, must('the number 18'))
      : z.int(must('an integer')).min(0, must('at least 0')).max(255, must('at most 255'))
  return z.object(
    {
      name: z
        .string(must('a string'))
        .max(MAX_NAME_LENGTH, must(`at most ${MAX_NAME_LENGTH} characters long`)),
      symbol,
      decimals,
    },
    must('an object with name, symbol and decimals'),
  )
}

/** A list of `least` or more URLs. MetaMask ignores bad ones; EIP-3085 rejects the whole list. */
function urls(
  field: string,
  profile: WalletSettings['profile'],
  least: number,
): z.ZodType<readonly string[]> {
  const url = webUrl(profile !== 'eip3085')
  const few = `a list of ${least} to ${MAX_URLS} URLs`
  const given: z.ZodType<unknown[]> = z
    .array(z.unknown(), must('a list of URLs'))
    .min(least, must(few))
    .max(MAX_URLS, must(few))
  if (profile !== 'metamask') return given.pipe(z.array(url))
  return given.transform((entries, context: Context) => {
    const good = entries.flatMap((entry) => {
      const result = url.safeParse(entry)
      return result.success ? [result.data] : []
    })
    if (good.length > 0) return good
    return refuse(context, 'format', `a list with at least one https URL (${field})`)
  })
}
