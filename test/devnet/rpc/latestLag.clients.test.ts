import { ContractFactory, JsonRpcProvider, Network, parseEther, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'
import { artifact } from '../../support/solidity.ts'

const token = artifact('Token')
const ABI = JSON.stringify(token.abi)
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const FRIEND = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A node as people start it, whose blocks are not sealed while a test lasts. */
async function start() {
  const devnet = createDevnet({ port: 0, tickInterval: 5, sealInterval: 86_400_000 })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const hints: string[] = []
  devnet.on('hint', ({ text }) => hints.push(text))
  return { devnet, hints }
}

function viemOf({ url }: Devnet, experimental_blockTag: 'latest' | 'pending') {
  const shared = { chain: hardhat, transport: http(url), pollingInterval: 10 }
  return {
    client: createPublicClient({ ...shared, experimental_blockTag, cacheTime: 0 }),
    wallet: createWalletClient({ ...shared, account: privateKeyToAccount(KEY) }),
  }
}

function ethersOf({ url }: Devnet) {
  const provider = new JsonRpcProvider(url, Network.from(31337), {
    staticNetwork: true,
    polling: true,
    pollingInterval: 10,
    cacheTimeout: -1,
  })
  onTestFinished(() => provider.destroy())
  return { provider, signer: new Wallet(KEY, provider) }
}

test.each<[string, (devnet: Devnet) => Promise<unknown>]>([
  [
    'viem: deploys and reads',
    async (devnet) => {
      const { client, wallet } = viemOf(devnet, 'latest')
      const hash = await wallet.deployContract({ ...token, args: [1000n] })
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      const read = { ...token, address: contractAddress ?? '0x', functionName: 'totalSupply' }
      await expect(client.readContract(read)).rejects.toThrow('returned no data')
    },
  ],
  [
    'viem: sends and asks the balance',
    async (devnet) => {
      const { client, wallet } = viemOf(devnet, 'latest')
      const hash = await wallet.sendTransaction({ to: FRIEND, value: 5n })
      await client.waitForTransactionReceipt({ hash })
      expect(await client.getBalance({ address: FRIEND })).toBe(parseEther('10000'))
    },
  ],
  [
    'ethers: deploys and reads',
    async (devnet) => {
      const { signer } = ethersOf(devnet)
      const factory = new ContractFactory(ABI, token.bytecode, signer)
      const contract = await (await factory.deploy(1000n)).waitForDeployment()
      const supply = contract.getFunction('totalSupply')()
      await expect(supply).rejects.toThrow('could not decode result data')
    },
  ],
  [
    'ethers: sends and asks the balance',
    async (devnet) => {
      const { provider, signer } = ethersOf(devnet)
      const { hash } = await signer.sendTransaction({ to: FRIEND, value: 5n })
      // Waits for the tick.
      expect((await provider.getTransactionReceipt(hash))?.status).toBe(1)
      expect(await provider.getBalance(FRIEND)).toBe(parseEther('10000'))
    },
  ],
])('%s: one hint', async (_, play) => {
  const { devnet, hints } = await start()
  await play(devnet)
  expect(hints).toHaveLength(1)
  // Branches are of the same node.
  const branch = await devnet.branch()
  await branch.provider.request({ method: 'eth_getBalance', params: [FRIEND, 'latest'] })
  expect(hints).toHaveLength(1)
})

test('viem on pending, and one that follows blocks: no hint', async () => {
  const { devnet, hints } = await start()
  const { client, wallet } = viemOf(devnet, 'pending')
  const stop = client.watchBlocks({ onBlock: () => undefined, includeTransactions: true })
  onTestFinished(stop)
  const hash = await wallet.deployContract({ ...token, args: [1_000_000n] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const contract = { abi: token.abi, address: contractAddress ?? ('0x' as Hex) }
  for (let round = 1; round <= 60; round++) {
    const sent = await wallet.writeContract({
      ...contract,
      functionName: 'transfer',
      args: [FRIEND, 1n],
    })
    const { blockNumber } = await client.waitForTransactionReceipt({ hash: sent })
    const read = { ...contract, functionName: 'balanceOf', args: [FRIEND] }
    expect(await client.readContract(read)).toBe(BigInt(round))
    await client.getBalance({ address: wallet.account.address })
    await client.getBalance({ address: wallet.account.address, blockNumber })
    await client.getTransactionCount({ address: wallet.account.address, blockTag: 'pending' })
    await client.getBlockNumber()
    await client.estimateFeesPerGas()
    await client.getLogs({ fromBlock: 0n, toBlock: 'latest' })
    if (round % 20 === 0) await devnet.clock.seal()
  }
  expect(hints).toEqual([])
})
