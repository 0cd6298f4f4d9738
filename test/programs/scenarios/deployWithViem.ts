import { type Chain, createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { artifact } from '../../support/solidity.ts'
import { key, other, url } from './support.ts'

/** Deploys, sends and reads, each once it has the receipt of what came before. */
export async function deployWithViem(chain: Chain) {
  const { abi, bytecode } = artifact('Token')
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 250 })
  const account = privateKeyToAccount(key)
  const wallet = createWalletClient({ chain, transport: http(url), pollingInterval: 250, account })
  const deployment = await wallet.deployContract({ abi, bytecode, args: [1_000n] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
  if (typeof contractAddress !== 'string') throw new Error('The receipt names no contract.')
  for (const value of [10n, 20n]) {
    const hash = await wallet.writeContract({
      address: contractAddress,
      abi,
      functionName: 'transfer',
      args: [other, value],
    })
    await client.waitForTransactionReceipt({ hash })
  }
  const balance = await client.readContract({
    address: contractAddress,
    abi,
    functionName: 'balanceOf',
    args: [other],
  })
  if (balance !== 30n) throw new Error(`wrong balance: ${balance}`)
}
