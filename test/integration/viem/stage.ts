import { EventEmitter, once } from 'node:events'
import {
  createClient,
  custom,
  encodeFunctionData,
  type Hex,
  http,
  namehash,
  numberToHex,
  publicActions,
  type Transport,
  walletActions,
  webSocket,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { createDevnet } from '../../../devnet/index.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

/** What viem's actions are played on. */
export interface Stage extends AsyncDisposable {
  readonly devnet: Devnet
  readonly transport: TransportName
  /** Signs itself. */
  readonly client: ViemClient
  /** The same account, for which the node signs. */
  readonly unlocked: ViemClient
  readonly account: PrivateKeyAccount
  /** An account without code, and with the balance of genesis. */
  readonly other: Hex
  readonly contracts: Readonly<Record<ContractName, Hex>>
  /** Stores 42 in slot 1 of the playground; alone in block 2, which is latest. */
  readonly sealed: Hex
  /** Stores 43 in slot 2; pre-confirmed, the first of block 3. */
  readonly preconfirmed: Hex
  /** Resolves when the node has next answered `method`, so that a watch that viem begins is known to have begun. */
  answered(method: string): Promise<void>
}

type ContractName = 'playground' | 'coin' | 'names' | 'owned' | 'multicall' | 'offchain'

/** Plays one action and asserts what it answers. */
type Case = (stage: Stage) => Promise<void>
export type Cases = Readonly<Record<string, Case>>

export const playground = artifact('Playground')
export const coin = artifact('Coin')
const names = artifact('Names')

/** A name of ENS, which the account of {@link Stage} owns. */
export const ENS_NAME = 'owner.eth'
export const COIN_SUPPLY = 1000n

/** Every way in which viem reaches the node. */
const transports = {
  http: (devnet: Devnet) => http(devnet.url),
  'http, batched': (devnet: Devnet) => http(devnet.url, { batch: true }),
  webSocket: (devnet: Devnet) => webSocket(devnet.url.replace('http', 'ws')),
  // viem takes a revert that comes from a provider for a fault that it had better try again.
  'in process': (devnet: Devnet) => custom(devnet.provider, { retryCount: 0 }),
}

export type TransportName = keyof typeof transports
export const transportNames: readonly TransportName[] = [
  'http',
  'http, batched',
  'webSocket',
  'in process',
]

export type ViemClient = ReturnType<typeof connect>

function connect(transport: Transport, account: PrivateKeyAccount | Hex) {
  return createClient({
    account,
    chain: hardhat,
    transport,
    // A watch of an event that is there already takes no longer than it must.
    pollingInterval: 10,
    cacheTime: 0,
    // In place of the gateway that OffchainValue names.
    ccipRead: { request: async () => numberToHex(21n, { size: 32 }) },
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** `transport`, telling `answered` the method of each answer that came over it. */
function overheard(transport: Transport, answered: (method: string) => void): Transport {
  return (parameters) => {
    const made = transport(parameters)
    const { request } = made
    const subscribe: Subscribe | undefined = made.value?.subscribe
    const told = async <Answer>(method: string, answer: Promise<Answer>) => {
      await answer
      answered(method)
      return answer
    }
    return {
      ...made,
      // What a request answers follows from its method, which this does not look at.
      request: ((...args: Parameters<typeof request>) =>
        told(args[0].method, request(...args))) as typeof request,
      value: subscribe && {
        ...made.value,
        subscribe: (args: unknown) => told('eth_subscribe', subscribe(args)),
      },
    }
  }
}

type Subscribe = (args: unknown) => Promise<unknown>

/** A node that pre-confirms at once and seals on command, with what {@link Stage} describes. */
export async function createStage(name: TransportName): Promise<Stage> {
  const devnet = createDevnet({
    port: 0,
    tickInterval: 0,
    frozen: true,
    timestamp: 1_800_000_000,
  })
  await devnet.start()
  const [owner, other] = devnet.accounts
  if (owner === undefined || other === undefined) throw new Error('There are dev accounts')
  const account = privateKeyToAccount(owner.privateKey)
  const answers = new EventEmitter()
  const transport = overheard(transports[name](devnet), (method) => answers.emit(method))
  const client = connect(transport, account)
  const deploy = async (contract: string, args: unknown[] = []) => {
    const { abi, bytecode } = artifact(contract)
    const hash = await client.deployContract({ abi, bytecode, args })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error(`${contract} was not deployed`)
    return contractAddress
  }
  const contracts = {
    playground: await deploy('Playground'),
    coin: await deploy('Coin', [COIN_SUPPLY]),
    names: await deploy('Names'),
    owned: await deploy('OwnedAccount', [account.address]),
    multicall: await deploy('Multicall'),
    offchain: await deploy('OffchainValue'),
  }
  const node = namehash(ENS_NAME)
  const tell = async (to: Hex, data: Hex) => {
    const hash = await client.sendTransaction({ to, data })
    await client.waitForTransactionReceipt({ hash })
    return hash
  }
  const register = (functionName: string, ...args: unknown[]) =>
    tell(
      contracts.names,
      encodeFunctionData({ abi: names.abi, functionName, args: [node, ...args] }),
    )
  await register('register', ENS_NAME, account.address)
  await register('setText', 'com.example', 'hello')
  await register('setText', 'avatar', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=')
  await devnet.clock.seal()
  const store = (slot: bigint, value: bigint) =>
    tell(
      contracts.playground,
      encodeFunctionData({ abi: playground.abi, functionName: 'store', args: [slot, value] }),
    )
  const sealed = await store(1n, 42n)
  await devnet.clock.seal()
  const preconfirmed = await store(2n, 43n)
  return {
    devnet,
    transport: name,
    client,
    unlocked: connect(transport, account.address),
    account,
    other: other.address,
    contracts,
    sealed,
    preconfirmed,
    answered: (method) => once(answers, method).then(() => undefined),
    async [Symbol.asyncDispose]() {
      // Or viem would try to connect anew.
      if ('getRpcClient' in client.transport) (await client.transport.getRpcClient()).close()
      await devnet.stop()
    },
  }
}
