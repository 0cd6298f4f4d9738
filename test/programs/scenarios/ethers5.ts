// Deploys, sends and reads, each once it has the receipt of what came before.
import { ethers } from 'ethers5'
import { artifact } from '../../support/solidity.ts'
import { key, other, url } from './support.ts'

const { abi, bytecode } = artifact('Token')
const provider = new ethers.providers.JsonRpcProvider(url)
provider.pollingInterval = 250
const wallet = new ethers.Wallet(key, provider)
const factory = new ethers.ContractFactory(JSON.stringify(abi), bytecode, wallet)
const token = await factory.deploy(1_000)
await token.deployed()
await (await token.transfer(other, 10)).wait()
await (await token.transfer(other, 20)).wait()
const balance = String(await token.balanceOf(other))
if (balance !== '30') throw new Error(`wrong balance: ${balance}`)
