import { createClient, type Hex, http, publicActions, walletActions } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { createDevnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

/** Today's hardfork of mainnet, and the next. */
const HARDFORKS = ['bpo2', 'amsterdam'] as const
export type Hardfork = (typeof HARDFORKS)[number]

/** An account that does not exist. */
export const NOBODY: Hex = '0x00000000000000000000000000000000000a11ce'

/** The address that logs transfers of ether. */
export const SYSTEM: Hex = '0xfffffffffffffffffffffffffffffffffffffffe'

/** A node under one hardfork, and viem with a key of its own. */
export interface Stage extends AsyncDisposable {
  readonly devnet: Devnet
  readonly hardfork: Hardfork
  readonly client: ReturnType<typeof connect>
  readonly account: PrivateKeyAccount
  /** An account without code, and with the balance of genesis. */
  readonly other: Hex
  /** Seals a transaction in a block of its own, whether it fails or not; answers its receipt. */
  send(request: Request): Promise<Receipt>
  deploy(name: string, options?: Deployment): Promise<Hex>
  /** The gas that `Meter` has measured. */
  measured(receipt: Receipt): bigint
}

interface Request {
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
}

interface Deployment {
  readonly args?: readonly unknown[]
  readonly value?: bigint
}

export type Receipt = Awaited<ReturnType<ReturnType<typeof connect>['waitForTransactionReceipt']>>

function connect(url: string, account: PrivateKeyAccount) {
  return createClient({
    account,
    chain: hardhat,
    transport: http(url),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** Starts a node that pre-confirms at once, and seals on command. */
export async function createStage(hardfork: Hardfork, options: OptionsInput = {}): Promise<Stage> {
  const devnet = createDevnet({
    port: 0,
    hardfork,
    tickInterval: 0,
    frozen: true,
    timestamp: 1_800_000_000,
    ...options,
  })
  await devnet.start()
  const [owner, other] = devnet.accounts
  if (owner === undefined || other === undefined) throw new Error('There are dev accounts')
  const account = privateKeyToAccount(owner.privateKey)
  const client = connect(devnet.url, account)
  const sealed = async (hash: Hex) => {
    await devnet.clock.seal()
    return await client.getTransactionReceipt({ hash })
  }
  return {
    devnet,
    hardfork,
    client,
    account,
    other: other.address,
    send: async (request) => sealed(await client.sendTransaction(request)),
    async deploy(name, { args = [], value } = {}) {
      const { abi, bytecode } = artifact(name)
      const fields = { abi, bytecode, args, ...(value === undefined ? {} : { value }) }
      const { contractAddress } = await sealed(await client.deployContract(fields))
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return contractAddress
    },
    measured({ logs }) {
      const data = logs.at(-1)?.data
      if (data === undefined) throw new Error('Nothing was measured')
      return BigInt(data)
    },
    [Symbol.asyncDispose]: () => devnet.stop(),
  }
}

/** Plays the same under both hardforks; answers what each gives. */
export async function underBoth<Result>(
  play: (stage: Stage) => Promise<Result>,
  options?: OptionsInput,
): Promise<Readonly<Record<Hardfork, Result>>> {
  const [bpo2, amsterdam] = await Promise.all(
    HARDFORKS.map(async (hardfork) => {
      await using stage = await createStage(hardfork, options)
      return await play(stage)
    }),
  )
  if (bpo2 === undefined || amsterdam === undefined) throw new Error('There are two hardforks')
  return { bpo2, amsterdam }
}
