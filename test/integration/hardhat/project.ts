import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('./project/', import.meta.url))
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

/** A copy of the Hardhat project under ./project, in a folder of its own, which goes with the scope that it is used in. */
export interface Project extends Disposable {
  readonly folder: string
}

export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-project-'))
  cpSync(source, folder, { recursive: true })
  symlinkSync(modules, join(folder, 'node_modules'), 'junction')
  return {
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
