import { join } from 'node:path'
import { configVariable, defineConfig } from 'hardhat/config'
import deploy from 'hardhat-deploy'

/** Where what Hardhat writes goes: each run has its own. */
const scratch = process.env.SCRATCH ?? '.'

export default defineConfig({
  plugins: [deploy],
  paths: { artifacts: join(scratch, 'artifacts'), cache: join(scratch, 'cache') },
  networks: { devnet: { type: 'http', url: configVariable('NODE_URL') } },
})
