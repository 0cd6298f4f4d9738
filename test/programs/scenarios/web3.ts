// Deploys, sends and reads, each once it has the receipt of what came before.
import { Web3 } from 'web3'
import { artifact } from '../../support/solidity.ts'
import { key, other, url } from './support.ts'

const { abi, bytecode } = artifact('Token')
const web3 = new Web3(url)
const from = web3.eth.accounts.wallet.add(key)[0]?.address ?? ''
const token = await new web3.eth.Contract(JSON.parse(JSON.stringify(abi)))
  .deploy({ data: bytecode, arguments: [1_000] })
  .send({ from })
for (const value of [10, 20]) await token.methods.transfer?.(other, value).send({ from })
const balance = String(await token.methods.balanceOf?.(other).call())
if (balance !== '30') throw new Error(`wrong balance: ${balance}`)
