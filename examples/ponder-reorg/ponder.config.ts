import { createConfig } from 'ponder'
import { erc20Abi, isAddress } from 'viem'

const { NODE_URL, TOKEN = '' } = process.env
if (!isAddress(TOKEN)) throw new Error('TOKEN must be the address of the token')

export default createConfig({
  database: { kind: 'pglite' },
  // Each run has a new chain, so no answer of the last one may be kept.
  chains: { devnet: { id: 31337, rpc: NODE_URL, pollingInterval: 200, disableCache: true } },
  contracts: { Token: { abi: erc20Abi, chain: 'devnet', address: TOKEN, startBlock: 0 } },
})
