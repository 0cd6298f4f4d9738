import { fileURLToPath } from 'node:url'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import hardhatPendingNode, { pendingNode } from 'hardhat-pending-node'

export default defineConfig({
  plugins: [hardhatViem, hardhatPendingNode],
  // The compiler that npm installed; with `solidity: '0.8.37'` Hardhat downloads one.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
  networks: {
    pending: pendingNode(),
    // The same suite under the next hardfork.
    amsterdam: pendingNode({ hardfork: 'amsterdam' }),
  },
})
