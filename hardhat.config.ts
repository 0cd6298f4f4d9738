import { fileURLToPath } from 'node:url'
import { defineConfig } from 'hardhat/config'
// By the name of the package, so that the compiled plugin runs, as it does for its users.
import pendingNode from 'hardhat-pending-node'

export default defineConfig({
  plugins: [pendingNode],
  // The compiler that npm installed: nothing is downloaded.
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
    settings: { evmVersion: 'osaka', optimizer: { enabled: true } },
  },
  // The contracts under test/ belong to tests that compile them on their own.
  paths: {
    sources: 'examples/viem-vitest/contracts',
    tests: { solidity: 'examples/viem-vitest/contracts' },
  },
})
