import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ethers from '@nomicfoundation/hardhat-ethers'
import upgrades from '@openzeppelin/hardhat-upgrades'
import { configVariable, defineConfig } from 'hardhat/config'

/** Where what is compiled goes: each run has its own. */
const scratch = process.env.SCRATCH ?? '.'

export default defineConfig({
  plugins: [ethers, upgrades],
  paths: { artifacts: join(scratch, 'artifacts'), cache: join(scratch, 'cache') },
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
  networks: { devnet: { type: 'http', url: configVariable('NODE_URL') } },
})
