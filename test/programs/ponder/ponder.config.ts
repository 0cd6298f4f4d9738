import { createConfig } from 'ponder'

const { NODE_URL = '', TOKEN = '' } = process.env

const transfer = {
  type: 'event',
  name: 'Transfer',
  inputs: [
    { name: 'from', type: 'address', indexed: true },
    { name: 'to', type: 'address', indexed: true },
    { name: 'value', type: 'uint256', indexed: false },
  ],
} as const

const balanceOf = {
  type: 'function',
  name: 'balanceOf',
  stateMutability: 'view',
  inputs: [{ name: 'owner', type: 'address' }],
  outputs: [{ name: '', type: 'uint256' }],
} as const

export default createConfig({
  database: { kind: 'pglite', directory: './database' },
  chains: { devnet: { id: 31337, rpc: NODE_URL, pollingInterval: 200, disableCache: true } },
  contracts: {
    Token: {
      abi: [transfer, balanceOf],
      chain: 'devnet',
      address: `0x${TOKEN.slice(2)}`,
      startBlock: 0,
    },
  },
})
