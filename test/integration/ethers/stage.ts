import { JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createDevnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

/** ms; four seconds unless told, which is what a test of an event would take. */
const POLLING_INTERVAL = 10

/** Every way in which ethers reaches the node. */
const connections = {
  http: (url: string) => new JsonRpcProvider(url),
  'http, one by one': (url: string) => new JsonRpcProvider(url, undefined, { batchMaxCount: 1 }),
  'http, no cache': (url: string) => new JsonRpcProvider(url, undefined, { cacheTimeout: -1 }),
  'http, polling': (url: string) => new JsonRpcProvider(url, undefined, { polling: true }),
  webSocket: (url: string) => new WebSocketProvider(url.replace('http', 'ws')),
}

export type ConnectionName = keyof typeof connections
export const connectionNames: readonly ConnectionName[] = [
  'http',
  'http, one by one',
  'http, no cache',
  'http, polling',
  'webSocket',
]

type Provider = JsonRpcProvider | WebSocketProvider

/** A node, and a provider of ethers for it. */
export interface Stage extends AsyncDisposable {
  readonly devnet: Devnet
  readonly provider: Provider
  /** Prepares and looks for the truth: without the cache of ethers, which keeps what it read for 250 ms. */
  readonly plain: JsonRpcProvider
  /** Key of the account with that index. */
  key(index: number): string
  address(index: number): string
}

/** Starts a node that pre-confirms every 5 ms and seals on command, unless `options` say otherwise. */
export async function createStage(
  name: ConnectionName,
  options: OptionsInput = {},
): Promise<Stage> {
  const devnet = createDevnet({
    port: 0,
    tickInterval: 5,
    frozen: true,
    timestamp: 1_800_000_000,
    ...options,
  })
  await devnet.start()
  const provider = connections[name](devnet.url)
  if (provider instanceof JsonRpcProvider) provider.pollingInterval = POLLING_INTERVAL
  const plain = connections['http, no cache'](devnet.url)
  const account = (index: number) => {
    const found = devnet.accounts[index]
    if (found === undefined) throw new Error(`There is no account ${index}`)
    return found
  }
  return {
    devnet,
    provider,
    plain,
    key: (index) => account(index).privateKey,
    address: (index) => account(index).address,
    async [Symbol.asyncDispose]() {
      // After the goodbyes that ethers has not sent yet, each of which would be an unhandled rejection.
      await provider.send('eth_chainId', [])
      await provider.destroy()
      plain.destroy()
      await devnet.stop()
    },
  }
}

/** An artifact, with its ABI in the type that ethers takes. */
export function compiled(name: string) {
  const { abi, bytecode } = artifact(name)
  return { abi: JSON.stringify(abi), bytecode }
}
