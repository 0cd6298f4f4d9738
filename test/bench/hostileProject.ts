import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Code of the contract that has the layout: stores its first argument in slot 0. */
export const CODE = '0x5f355f5500'

const hex = (bytes: number) => `0x${'5b'.repeat(bytes)}`

/** Writes the artifacts of a project that were made to hold a node up. */
export function writeHostileProject(folder: string): void {
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value))
  mkdirSync(join(folder, 'build-info'), { recursive: true })
  const artifact = (contractName: string, fields: object) =>
    write(`${contractName}.json`, {
      contractName,
      sourceName: 'contracts/A.sol',
      inputSourceName: 'project/contracts/A.sol',
      buildInfoId: 'hostile',
      abi: [],
      bytecode: CODE,
      deployedBytecode: '0xfe',
      ...fields,
    })
  const places = Array.from({ length: 2000 }, (_, index) => ({ start: 700 * index, length: 20 }))
  artifact('Linked', {
    bytecode: hex(1_500_000),
    linkReferences: { 'contracts/A.sol': { Library: places } },
  })
  artifact('Long', { bytecode: hex(7_900_000) })
  const entry = (index: number) => ({
    type: 'error',
    name: `E${index}`,
    inputs: [{ type: 'uint8' }],
  })
  artifact('Wide', { abi: Array.from({ length: 200_000 }, (_, index) => entry(index)) })
  artifact('Stored', { deployedBytecode: CODE })
  const member = (label: string, type: string) => ({ label, type, slot: '0', offset: 0 })
  const struct = (members: readonly object[]) => ({
    label: 'struct S',
    encoding: 'inplace',
    numberOfBytes: '64',
    members,
  })
  const members = Array.from({ length: 1000 }, (_, index) => member(`m${index}`, 'T'))
  const storageLayout = {
    storage: [
      member('s', 'S'),
      member('t', 'T'),
      ...Array.from({ length: 3000 }, () => member('v', 'S')),
    ],
    types: { S: struct([member('a', 'S'), member('b', 'S')]), T: struct(members) },
  }
  const evm = {
    bytecode: { sourceMap: '' },
    deployedBytecode: { sourceMap: `${'0:1:0:i;'.repeat(1_000_000)}` },
  }
  const content = '\n'.repeat(1_000_000)
  const nodes = Array.from({ length: 50_000 }, (_, index) => ({
    nodeType: 'FunctionDefinition',
    name: `f${index}`,
    src: `0:${index}:0`,
  }))
  write('build-info/hostile.json', {
    input: { sources: { 'project/contracts/A.sol': { content } } },
  })
  write('build-info/hostile.output.json', {
    output: {
      sources: { 'project/contracts/A.sol': { id: 0, ast: { nodes } } },
      contracts: { 'project/contracts/A.sol': { Stored: { evm, storageLayout } } },
    },
  })
}
