import type { OptionsInput } from '../../devnet/index.ts'
import { optionGroups } from '../../devnet/options/optionTable.ts'
import { isPlayed } from '../../devnet/pluginApi.ts'
import type { PendingNodeConfig, PendingNodeForkingConfig } from '../types.ts'

/**
 * The options of a network's node, without those that are the plugin's. A configuration variable in
 * `forking.url` is resolved.
 *
 * @param given.chainType - `op` takes the profile `optimism`, unless the options name one
 * @param given.fork - URL to fork in place of the network's `forking`
 */
export async function nodeOptions(
  { transport: _transport, defaultBlock: _defaultBlock, forking, ...own }: PendingNodeConfig,
  { chainType, fork }: { readonly chainType?: string | undefined; readonly fork?: string } = {},
): Promise<OptionsInput> {
  const options = chainType === 'op' ? { ...own, profile: own.profile ?? 'optimism' } : own
  // The headers of the configuration are secrets of its own URL.
  if (fork !== undefined) return { ...options, fork }
  if (forking?.enabled === true) return { ...options, ...(await forkOptions(forking)) }
  // `forking` can be switched off, also by an override, and what goes with it stays.
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isForkOption(name)))
}

/** True if an option says how another chain is read. */
export function isForkOption(name: string): boolean {
  return Object.hasOwn(optionGroups.fork, name)
}

async function forkOptions({
  url,
  blockNumber,
  transactionHash,
  recording,
  httpHeaders = {},
}: PendingNodeForkingConfig): Promise<OptionsInput> {
  return {
    // Not `getUrl`, whose error shows what is no URL.
    fork: recording !== undefined && (await isPlayed(recording)) ? undefined : await url.get(),
    forkBlockNumber: blockNumber,
    forkAtTransaction: transactionHash,
    forkRecording: recording,
    forkHeader: Object.entries(httpHeaders).map(([name, value]) => `${name}: ${value}`),
  }
}
