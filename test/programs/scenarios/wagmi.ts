// Deploys, sends and reads through wagmi's actions, each once it has the receipt of what came before.
import {
  connect,
  createConfig,
  deployContract,
  mock,
  readContract,
  waitForTransactionReceipt,
  writeContract,
} from '@wagmi/core'
import { http } from 'viem'
import { hardhat } from 'viem/chains'
import { artifact } from '../../support/solidity.ts'
import { other, sender, url } from './support.ts'

const { abi, bytecode } = artifact('Token')
const chain = { ...hardhat, rpcUrls: { default: { http: [url] } } } as const
const config = createConfig({
  chains: [chain],
  pollingInterval: 250,
  connectors: [mock({ accounts: [sender] })],
  transports: { [chain.id]: http(url) },
})
const [connector] = config.connectors
if (connector === undefined) throw new Error('No connector')
await connect(config, { connector })
const deployment = await deployContract(config, { abi, bytecode, args: [1_000n] })
const { contractAddress } = await waitForTransactionReceipt(config, { hash: deployment })
if (typeof contractAddress !== 'string') throw new Error('The receipt names no contract.')
const token = { abi, address: contractAddress }
for (const value of [10n, 20n]) {
  const hash = await writeContract(config, {
    ...token,
    functionName: 'transfer',
    args: [other, value],
  })
  await waitForTransactionReceipt(config, { hash })
}
const balance = await readContract(config, { ...token, functionName: 'balanceOf', args: [other] })
if (balance !== 30n) throw new Error(`wrong balance: ${balance}`)
