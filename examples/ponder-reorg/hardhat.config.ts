import { fileURLToPath } from 'node:url'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import pendingNode from 'hardhat-pending-node'

export default defineConfig({
  plugins: [hardhatViem, pendingNode],
  // The compiler that npm installed; with `solidity: '0.8.37'` Hardhat downloads one.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
})
