// Compiles plugin/ and devnet/ into dist/, which is what the package exports and what `npx hardhat` runs here.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
