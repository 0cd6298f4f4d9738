import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Abi, encodeDeployData, type Hex } from 'viem'
import { onTestFinished } from 'vitest'

/** A project as Hardhat 3 leaves it after a compilation, in a folder that the test's end removes. */
export interface BuiltProject {
  readonly root: string
  /** Its folder of artifacts. */
  readonly artifacts: string
  contract(name: string): { readonly abi: Abi; readonly bytecode: Hex }
  /** Init code of a contract, with the arguments of its constructor. */
  creation(name: string, ...args: readonly unknown[]): Hex
}

export interface BuildSettings {
  readonly optimizer?: { readonly enabled: boolean; readonly runs?: number }
  readonly viaIR?: boolean
  readonly remappings?: readonly string[]
}

interface CompiledCode {
  readonly object: string
  readonly linkReferences: object
  readonly immutableReferences?: object
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: CompiledCode; deployedBytecode: CompiledCode } }>
  >
}

const BUILD = 'solc-0_8-test'

/** @param sources - texts by their names in the project, e.g. `contracts/Vault.sol` */
export function buildProject(
  sources: Readonly<Record<string, string>>,
  settings: BuildSettings = {},
): BuiltProject {
  const root = mkdtempSync(join(tmpdir(), 'pending-node-project-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const [name, text] of Object.entries(sources)) write(name, text)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, content]) => [`project/${name}`, { content }]),
    ),
    settings: {
      evmVersion: 'cancun',
      ...settings,
      outputSelection: {
        '*': { '': ['ast'], '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'storageLayout'] },
      },
    },
  }
  const output = compiled(JSON.stringify(input))
  write(`artifacts/build-info/${BUILD}.json`, { id: BUILD, input })
  write(`artifacts/build-info/${BUILD}.output.json`, { id: BUILD, output })
  const contracts = new Map<string, { abi: Abi; bytecode: Hex }>()
  for (const [source, inFile] of Object.entries(output.contracts)) {
    for (const [contractName, { abi, evm }] of Object.entries(inFile)) {
      const sourceName = source.replace('project/', '')
      const bytecode: Hex = `0x${evm.bytecode.object}`
      contracts.set(contractName, { abi, bytecode })
      write(`artifacts/${sourceName}/${contractName}.json`, {
        _format: 'hh3-artifact-1',
        contractName,
        sourceName,
        inputSourceName: source,
        buildInfoId: BUILD,
        abi,
        bytecode,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
        linkReferences: evm.bytecode.linkReferences,
        deployedLinkReferences: evm.deployedBytecode.linkReferences,
        immutableReferences: evm.deployedBytecode.immutableReferences,
      })
    }
  }
  const contract = (name: string) => {
    const found = contracts.get(name)
    if (found === undefined) throw new Error(`No contract ${name} in the project`)
    return found
  }
  return {
    root,
    artifacts: join(root, 'artifacts'),
    contract,
    creation: (name, ...args) => encodeDeployData({ ...contract(name), args }),
  }
}

const cache = new URL('../../node_modules/.cache/pending-node-tests/', import.meta.url)

/** The output of solc, which takes seconds, once for all test files. */
function compiled(input: string): SolcOutput {
  const key = createHash('sha256').update(input).digest('hex').slice(0, 16)
  const cached = new URL(`built-${key}.json`, cache)
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8'))
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const text = solc.compile(input)
  const output: SolcOutput = JSON.parse(text)
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'))
  mkdirSync(cache, { recursive: true })
  // Several test files may get here at once: each writes a whole file, and one of them stays.
  const own = new URL(`built-${key}.${process.pid}.json`, cache)
  writeFileSync(own, text)
  renameSync(own, cached)
  return output
}
