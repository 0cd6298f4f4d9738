import { fileURLToPath } from 'node:url'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { configVariable, defineConfig } from 'hardhat/config'
import hardhatPendingNode, { pendingNode } from 'hardhat-pending-node'

export default defineConfig({
  plugins: [hardhatViem, hardhatPendingNode],
  networks: {
    // Plays the live chain. For a real one, set FORK_URL to its URL and leave this out.
    live: pendingNode({ frozen: true }),
    // Resolved when a connection is made, so that no URL with a key lies in the project.
    forked: pendingNode({ forking: { url: configVariable('FORK_URL') }, noForkCache: true }),
  },
  // The compiler that npm installed; with `solidity: '0.8.37'` Hardhat downloads one.
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
})
