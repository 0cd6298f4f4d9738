import { fileURLToPath } from 'node:url'
import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import hardhatViemAssertions from '@nomicfoundation/hardhat-viem-assertions'
import { defineConfig } from 'hardhat/config'

/** A project that knows nothing of the plugin: it reaches the node by its address, as any other. */
export default defineConfig({
  plugins: [
    hardhatEthers,
    hardhatViem,
    hardhatViemAssertions,
    hardhatIgnitionViem,
    hardhatNetworkHelpers,
  ],
  // The compiler that npm installed: nothing is downloaded.
  solidity: {
    profiles: Object.fromEntries(
      ['default', 'production'].map((profile) => [
        profile,
        { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
      ]),
    ),
  },
  networks: {
    devnet: { type: 'http', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
})
