import { describe, expect, test } from 'vitest'
import { readArtifact } from '../../../plugin/artifacts/artifact.ts'

const artifact = {
  contractName: 'Token',
  abi: [
    {
      type: 'function',
      name: 'go',
      inputs: [
        {
          type: 'tuple[]',
          components: [{ type: 'uint256' }, { type: 'tuple', components: [{ type: 'bool' }] }],
        },
        { type: 'bytes32[2][]' },
      ],
    },
    { type: 'function', name: 'stop', inputs: [] },
    { type: 'error', name: 'No', inputs: [{ type: 'address' }] },
    { type: 'event', name: 'Gone', inputs: [] },
    { type: 'constructor', inputs: [] },
  ],
  sourceName: 'contracts/Token.sol',
  inputSourceName: 'project/contracts/Token.sol',
  bytecode: '0x6001',
  deployedBytecode: '0x60020000',
  linkReferences: {},
  deployedLinkReferences: {},
  immutableReferences: { '16': [{ start: 2, length: 1 }] },
}

test('default', () => {
  expect(readArtifact(artifact)).toEqual({
    name: 'Token',
    creation: { bytes: Buffer.from('6001', 'hex'), holes: [] },
    deployed: { bytes: Buffer.from('60020000', 'hex'), holes: [{ start: 2, length: 1 }] },
    source: 'project/contracts/Token.sol',
    abi: artifact.abi,
  })
})

test('link references are nested one deeper', () => {
  const linked = { ...artifact, linkReferences: { 'a.sol': { Lib: [{ start: 0, length: 1 }] } } }
  expect(readArtifact(linked)?.creation.holes).toEqual([{ start: 0, length: 1 }])
})

test.each([
  [{ inputSourceName: undefined }, 'contracts/Token.sol'],
  [{ inputSourceName: undefined, sourceName: undefined }, undefined],
])('what is known of the source: %o', (fields, source) => {
  expect(readArtifact({ ...artifact, ...fields })?.source).toBe(source)
})

describe('no artifact', () => {
  test.each([
    ['null', null],
    ['a list', []],
    ['an interface', { ...artifact, bytecode: '0x', deployedBytecode: '0x' }],
    ['without a name', { ...artifact, contractName: undefined }],
    ['without an ABI', { ...artifact, abi: {} }],
    ['code that is none', { ...artifact, bytecode: 5 }],
    ['a build info', { id: 'x', input: {} }],
  ])('%s', (_, value) => {
    expect(readArtifact(value)).toBeUndefined()
  })
})

test('an ABI and references with nonsense in them', () => {
  const strange = {
    ...artifact,
    abi: [
      null,
      5,
      { type: 'function' },
      { type: 'function', name: 'f', inputs: [null] },
      { type: 'function', name: 'g', inputs: [{ type: 'uint' }] },
    ],
    immutableReferences: { a: [{ start: -1, length: 1 }, 5, { start: 'x' }] },
  }
  expect(readArtifact(strange)).toMatchObject({
    abi: strange.abi.slice(2),
    deployed: { holes: [] },
  })
})
