import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'

/** A compiled contract. */
export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
  /** As solc answers it. */
  readonly storageLayout: unknown
}

const folder = new URL('./contracts/', import.meta.url)
/** What the contracts import. */
const consoleSource = new URL('../../node_modules/hardhat/console.sol', import.meta.url)
const cache = new URL('../../node_modules/.cache/pending-node-tests/', import.meta.url)

/**
 * Compiles test/support/contracts with solc, once for all test files.
 *
 * @param name - of the contract
 */
export function artifact(name: string): Artifact {
  const found = artifacts()[name]
  if (found === undefined) throw new Error(`No contract ${name} in test/support/contracts`)
  return found
}

let compiled: Record<string, Artifact> | undefined

function artifacts(): Record<string, Artifact> {
  compiled ??= load()
  return compiled
}

function load(): Record<string, Artifact> {
  const sources: Record<string, { content: string }> = {}
  sources['hardhat/console.sol'] = { content: readFileSync(consoleSource, 'utf8') }
  for (const file of readdirSync(folder).sort()) {
    sources[file] = { content: readFileSync(new URL(file, folder), 'utf8') }
  }
  // The version rises when more of the output is kept.
  const key = createHash('sha256')
    .update(`2 ${JSON.stringify(sources)}`)
    .digest('hex')
    .slice(0, 16)
  const cached = new URL(`${key}.json`, cache)
  try {
    return JSON.parse(readFileSync(cached, 'utf8'))
  } catch {
    // Not compiled yet.
  }
  const result = compile(sources)
  mkdirSync(cache, { recursive: true })
  // Several test files may get here at once: each writes a whole file, and one of them stays.
  const own = new URL(`${key}.${process.pid}.json`, cache)
  writeFileSync(own, JSON.stringify(result))
  renameSync(own, cached)
  return result
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        abi: Abi
        storageLayout: unknown
        evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
      }
    >
  >
}

/** Compiles sources by their names. @returns their contracts by name */
export function compile(sources: Record<string, { content: string }>): Record<string, Artifact> {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const output: SolcOutput = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources,
        settings: {
          evmVersion: 'london',
          optimizer: { enabled: true },
          outputSelection: {
            '*': {
              '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'],
            },
          },
        },
      }),
    ),
  )
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'))
  const result: Record<string, Artifact> = {}
  for (const contracts of Object.values(output.contracts)) {
    for (const [name, { abi, evm, storageLayout }] of Object.entries(contracts)) {
      result[name] = {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
        storageLayout,
      }
    }
  }
  return result
}
