import { fileURLToPath } from 'node:url'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  plugins: [hardhatViem, hardhatNetworkHelpers],
  // The compiler that npm installed; with `solidity: '0.8.37'` Hardhat downloads one.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
  networks: {
    localhost: { type: 'http', url: process.env.RPC_URL ?? 'http://127.0.0.1:8545' },
  },
})
