import { fileURLToPath } from 'node:url'
import nodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import pendingNode from 'hardhat-pending-node'

export default defineConfig({
  plugins: [nodeTestRunner, viem, pendingNode],
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
  },
})
