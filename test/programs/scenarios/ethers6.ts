// Deploys, sends and reads, each once it has the receipt of what came before.
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers'
import { artifact } from '../../support/solidity.ts'
import { key, other, url } from './support.ts'

const { abi, bytecode } = artifact('Token')
const json = JSON.stringify(abi)
const provider = new JsonRpcProvider(url, undefined, {
  cacheTimeout: -1,
  pollingInterval: 250,
})
const wallet = new Wallet(key, provider)
const deployed = await new ContractFactory(json, bytecode, wallet).deploy(1_000)
await deployed.waitForDeployment()
const token = new Contract(await deployed.getAddress(), json, wallet)
for (const value of [10, 20]) await (await token.getFunction('transfer')(other, value)).wait()
const balance = String(await token.getFunction('balanceOf')(other))
if (balance !== '30') throw new Error(`wrong balance: ${balance}`)
provider.destroy()
