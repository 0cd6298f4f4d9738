import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Consumer, createConsumer, pack } from './consumer.ts'

/**
 * A project with this package, as it is packed, and all that Hardhat's toolboxes bring.
 *
 * @param folder - beside this file, whose files the project has
 */
export async function createToolboxProject(folder: string): Promise<Consumer> {
  using packed = pack()
  const project = createConsumer()
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
  cpSync(fileURLToPath(new URL(folder, import.meta.url)), project.folder, { recursive: true })
  return project
}
