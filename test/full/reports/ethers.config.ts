import { fileURLToPath } from 'node:url'
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'
import pendingNode from 'hardhat-pending-node'

export default defineConfig({
  plugins: [toolbox, pendingNode],
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
  },
  paths: {
    tests: { mocha: 'test/ethers' },
    artifacts: 'ethers/artifacts',
    cache: 'ethers/cache',
  },
})
