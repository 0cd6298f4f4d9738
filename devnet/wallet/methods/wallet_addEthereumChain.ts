import type { Hex } from '../../primitives/hex.ts'
import { type AddedChain, addedChain } from '../core/addedChain.ts'
import type { ProbeOutcome } from '../core/probe.ts'
import { UnknownChainError, WalletParamsError } from '../core/walletErrors.ts'
import type { WalletContext, WalletMethod } from '../core/walletMethod.ts'
import { readParams } from '../core/walletParams.ts'
import type { RequestSummary, WalletChain } from '../types.ts'

/** Adds a chain (EIP-3085): checks the request, then its RPC URLs, and only then asks the person. */
const method: WalletMethod = {
  async handle(context, params) {
    const { session, client } = context
    const { settings } = session.wallet
    const [added] = readParams(addedChain(settings.profile), params)
    const { hasCurrency, ...chain } = added
    checkKnown(context, added)
    const outcomes = await probe(context, chain)

    const known = session.chains.find(chain.chainId)
    // Nobody is asked, and so nothing changes: another page uses the chain by what the person agreed to.
    if (isInUse(context, chain.chainId) && settings.profile !== 'eip3085') return null
    // For privacy, EIP-3085 wants the same for all chains: a page must not learn which ones are known.
    const summary = summarize(chain, known, outcomes)
    await context.ask({ summary, chainId: chain.chainId, isExclusive: true })
    // What was known meanwhile may have changed.
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
}

export default method

/** @throws {WalletParamsError} {@link UnknownChainError} */
function checkKnown({ session }: WalletContext, added: AddedChain): void {
  const { chainId, nativeCurrency, hasCurrency } = added
  const known = session.chains.find(chainId)
  if (known === undefined) {
    const { addableChains } = session.wallet.settings
    if (addableChains === undefined || addableChains.includes(chainId)) return
    throw new UnknownChainError(chainId, 'The wallet is set up to add only some chains.')
  }
  const { symbol } = known.nativeCurrency
  if (!hasCurrency || symbol === nativeCurrency.symbol) return
  throw new WalletParamsError(
    'nativeCurrency.symbol',
    'symbol-mismatch',
    `that of the chain as the wallet knows it (${symbol})`,
    nativeCurrency.symbol,
  )
}

/** Asks each RPC URL once: all that answer must be of the chain, and one must answer. @throws {WalletParamsError} */
async function probe(
  { session }: WalletContext,
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

/** Whether the chain is active and the wallet has a way to it. */
function isInUse({ session }: WalletContext, chainId: Hex): boolean {
  const { chains, wallet } = session
  if (chainId !== chains.active) return false
  return chainId === wallet.node.chainId || chains.find(chainId)?.rpcUrls.length !== 0
}

/** The wallet uses the first one, so that this must be one that was looked at. */
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
    title: known === undefined ? 'Add a network' : 'Replace what is known of a network',
    fields: [
      { label: 'Network', value: chainName },
      { label: 'Chain ID', value: `${BigInt(chainId)} (${chainId})` },
      { label: 'Currency', value: `${name} (${symbol}), ${decimals} decimals` },
      ...rpcUrls.map((value) => ({ label: 'RPC URL', value })),
      ...blockExplorerUrls.map((value) => ({ label: 'Block explorer', value })),
    ],
    warnings: [
      ...(known === undefined
        ? [
            `The wallet does not know chain ${BigInt(chainId)}: what the page says of it may be wrong.`,
          ]
        : known.chainName === chainName
          ? []
          : [`The wallet knows this network as “${known.chainName}”.`]),
      ...[...rpcUrls, ...blockExplorerUrls]
        .filter((url) => /^http:/i.test(url))
        .map((url) => `${url} is not encrypted (http).`),
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
