import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import { JsonRpcProvider, Wallet } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { createPublicClient, http, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'

/** Hash of the block of a transaction that is pre-confirmed. */
const NO_BLOCK = `0x${'00'.repeat(32)}`

/** Who sends and waits, as the client's users write it. */
export interface Client {
  readonly name: string
  /** Prepares what is not measured. */
  prepare(nonce: number): Promise<Send>
  /** Ends its connections. */
  close(): void
}

/** Sends one transaction and waits for the client's answer; `true` where that came before the seal. */
export type Send = () => Promise<boolean>

/** The account that a client uses, so that their nonces do not meet. */
interface Account {
  readonly key: `0x${string}`
  readonly index: number
}

/** Makes a client for the node at `url`. */
export type MakeClient = (url: string, account: Account) => Promise<Client>

const FEES = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

/** viem: `send` gets the raw transaction. */
const viem =
  (
    name: string,
    send: (client: PublicClient, raw: `0x${string}`) => Promise<{ blockHash: string }>,
    chain: typeof hardhat = hardhat,
  ): MakeClient =>
  async (url, { key }) => {
    const client = createPublicClient({ chain, transport: http(url) })
    const { address, signTransaction } = privateKeyToAccount(key)
    return {
      name,
      async prepare(nonce) {
        const fields = { chainId: chain.id, nonce, gas: 21_000n, to: address, value: 1n, ...FEES }
        const raw = await signTransaction({ type: 'eip1559', ...fields })
        return async () => (await send(client, raw)).blockHash === NO_BLOCK
      },
      close: () => undefined,
    }
  }

async function sendAndWait(client: PublicClient, serializedTransaction: `0x${string}`) {
  const hash = await client.sendRawTransaction({ serializedTransaction })
  return client.waitForTransactionReceipt({ hash })
}

const ethersWallet: MakeClient = async (url, { key }) => {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 })
  const wallet = new Wallet(key, provider)
  return {
    name: 'ethers wait',
    async prepare(nonce) {
      const request = { nonce, gasLimit: 21_000n, to: wallet.address, value: 1n, ...FEES }
      return async () => {
        const response = await wallet.sendTransaction(request)
        const receipt = await response.wait()
        return receipt?.blockHash === NO_BLOCK
      }
    },
    close: () => provider.destroy(),
  }
}

const hardhatEthersSigner: MakeClient = async (url, { index }) => {
  const hre = await createHardhatRuntimeEnvironment({
    plugins: [hardhatEthers],
    networks: { devnet: { type: 'http', url } },
  })
  const connection = await hre.network.create('devnet')
  const signer = (await connection.ethers.getSigners())[index]
  if (signer === undefined) throw new Error(`There is no account ${index}`)
  return {
    name: 'hardhat-ethers sendTransaction',
    async prepare() {
      return async () => {
        const { blockNumber, blockHash } = await signer.sendTransaction({ to: signer.address })
        // In its block, which has no hash before the seal.
        return blockNumber !== null && blockHash === null
      }
    },
    close: () => void connection.close(),
  }
}

export const clients: readonly MakeClient[] = [
  viem('viem sendRawTransactionSync', (client, serializedTransaction) =>
    client.sendRawTransactionSync({ serializedTransaction }),
  ),
  viem('viem waitForTransactionReceipt', sendAndWait),
  viem('viem waitForTransactionReceipt, preconf chain', sendAndWait, {
    ...hardhat,
    experimental_preconfirmationTime: 200,
  }),
  hardhatEthersSigner,
  ethersWallet,
]
