import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Gas limit of a block in every peer: 2,000 ERC-20 transfers fit in one. */
export const BLOCK_GAS_LIMIT = 500_000_000

const config = `export default {
  networks: {
    node: { type: 'edr-simulated', chainType: 'l1', blockGasLimit: ${BLOCK_GAS_LIMIT} },
  },
}
`

let folder: string | undefined

/** A Hardhat project without this plugin, for `hardhat node`; made once, outside the repository. */
export function plainProject(): string {
  if (folder !== undefined) return folder
  folder = mkdtempSync(join(tmpdir(), 'pending-node-bench-'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(folder, 'hardhat.config.js'), config)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

/** Removes what {@link plainProject} made. */
export function removeProject(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  folder = undefined
}
