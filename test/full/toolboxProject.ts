import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Consumer, createConsumer, pack } from './consumer.ts'

/**
 * A project with this package, as it is packed, and all that Hardhat's toolboxes bring. The variable
 * `HARDHAT_PACKAGES` names a folder `node_modules` with these and another Hardhat: `.ci/hardhats.mjs`.
 *
 * @param folder - beside this file, whose files the project has
 */
export async function createToolboxProject(folder: string): Promise<Consumer> {
  const project = createConsumer()
  const { HARDHAT_PACKAGES: installed } = process.env
  if (installed === undefined) await install(project)
  else symlinkSync(installed, join(project.folder, 'node_modules'), 'junction')
  cpSync(fileURLToPath(new URL(folder, import.meta.url)), project.folder, { recursive: true })
  return project
}

async function install(project: Consumer): Promise<void> {
  using packed = pack()
  await project.install(
    packed.file,
    'hardhat@3.17.0',
    '@nomicfoundation/hardhat-toolbox-viem@5.0.7',
    '@nomicfoundation/hardhat-toolbox-mocha-ethers@3.0.7',
    // hardhat-ethers 4.2 needs a later Hardhat.
    '@nomicfoundation/hardhat-ethers@4.1.0',
    'solc@0.8.37',
    'viem@2.57.1',
    'vitest@5.1.1',
    '@types/mocha@10.0.10',
    '@types/node@24',
    'typescript@7.0.2',
  )
}
