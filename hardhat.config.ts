import { fileURLToPath } from 'node:url'
import { defineConfig } from 'hardhat/config'
// Imported by the name of the package, so that the compiled plugin runs, as for its users.
import pendingNode from 'hardhat-pending-node'

export default defineConfig({
  plugins: [pendingNode],
  // The compiler that npm installed, so that nothing is downloaded.
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
    settings: { evmVersion: 'osaka', optimizer: { enabled: true } },
  },
  // Tests compile the contracts under test/ themselves.
  paths: {
    sources: 'examples/viem-vitest/contracts',
    tests: { solidity: 'examples/viem-vitest/contracts' },
  },
})
