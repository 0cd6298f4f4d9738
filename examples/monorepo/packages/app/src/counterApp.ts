import { counterAbi } from '@example/contracts'
import { type Address, createClient, defineChain, http, publicActions, walletActions } from 'viem'
import { hardhat } from 'viem/chains'

// With this field viem reads "pending" by default, and finds pre-confirmed receipts.
const chain = defineChain({ ...hardhat, experimental_preconfirmationTime: 200 })

/** Counts with the contract at an address, as an account of the node. */
export function createCounterApp(url: string, address: Address, account: Address) {
  const contract = { address, abi: counterAbi } as const
  const client = createClient({ account, chain, transport: http(url), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions)
  return {
    /** @returns the value that the user sees, pre-confirmed before it is sealed */
    async increment(): Promise<bigint> {
      const hash = await client.writeContract({ ...contract, functionName: 'increment' })
      await client.waitForTransactionReceipt({ hash })
      return client.readContract({ ...contract, functionName: 'value' })
    },
    /** @returns the value after the last sealed block */
    sealedValue: () =>
      client.readContract({ ...contract, functionName: 'value', blockTag: 'latest' }),
  }
}
