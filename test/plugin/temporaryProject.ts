import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { artifact } from '../support/solidity.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A Hardhat project with this plugin, and artifacts of contracts of test/support/contracts. */
export interface TemporaryProject extends Disposable {
  readonly path: string
  /** Writes the artifact of a contract, as `hardhat build` does. */
  addArtifact(name: string, shownName?: string): void
}

export function createProject(...contracts: readonly string[]): TemporaryProject {
  const path = mkdtempSync(join(tmpdir(), 'pending-node-project-'))
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'), 'junction')
  writeFileSync(join(path, 'package.json'), '{"private":true,"type":"module"}')
  writeFileSync(
    join(path, 'hardhat.config.ts'),
    `import plugin from ${JSON.stringify(join(root, 'plugin/index.ts'))}\nexport default { plugins: [plugin] }\n`,
  )
  const addArtifact = (name: string, shownName = name) => {
    const folder = join(path, 'artifacts/contracts', `${name}.sol`)
    mkdirSync(folder, { recursive: true })
    const { abi, bytecode, deployedBytecode } = artifact(name)
    const json = {
      _format: 'hh3-artifact-1',
      contractName: shownName,
      sourceName: `contracts/${name}.sol`,
      abi,
      bytecode,
      deployedBytecode,
      linkReferences: {},
      deployedLinkReferences: {},
      immutableReferences: {},
    }
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(json))
  }
  for (const name of contracts) addArtifact(name)
  return {
    path,
    addArtifact,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
