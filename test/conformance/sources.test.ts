import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  FIXTURES,
  fetchSource,
  firstBlocksOf,
  RECORDINGS,
  resultSchemas,
  SPECIFICATION,
  sampleOf,
} from './sources.ts'

describe('the sample of a file of fixtures', () => {
  const block = { rlp: '0x01', blocknumber: '1', transactions: [], rlp_decoded: {} }
  const fixture = (network: string, fields: object = {}) => ({
    network,
    config: { chainid: '0x01' },
    genesisBlockHeader: { hash: '0x00' },
    genesisRLP: '0x',
    pre: {},
    blocks: [block],
    lastblockhash: '0x02',
    postState: {},
    _info: {},
    ...fields,
  })
  const names = (fixtures: object) =>
    sampleOf(JSON.stringify(fixtures)).map((one) => ('name' in one ? one.name : undefined))

  test('has what is played of a test, in order', () => {
    expect(JSON.stringify(sampleOf(JSON.stringify({ a: fixture('Cancun') })))).toBe(
      '[{"name":"a","network":"Cancun","config":{"chainid":"0x01"},"genesisBlockHeader":{"hash":"0x00"},"genesisRLP":"0x","pre":{},"blocks":[{"rlp":"0x01","blocknumber":"1"}],"lastblockhash":"0x02"}]',
    )
  })

  test('has the first three by the hashes of their names, each of another network', () => {
    // SHA-256: b 3e23, c 2e7d, a ca97, d 18ac, e 3f79.
    const fixtures = {
      a: fixture('Berlin'),
      b: fixture('Cancun'),
      c: fixture('Osaka'),
      d: fixture('Osaka'),
      e: fixture('PragueToOsakaAtTime15k'),
    }
    expect(names(fixtures)).toEqual(['d', 'b', 'e'])
  })

  test('leaves out other networks, what is large, and pointers to files', () => {
    const large = { genesisRLP: '0x'.padEnd(120_000, '0') }
    expect(names({ a: fixture('Istanbul'), b: fixture('ParisToIstanbulAtTime15k') })).toEqual([])
    expect(names({ a: fixture('Osaka', large), b: fixture('Osaka') })).toEqual(['b'])
    expect(sampleOf('version https://git-lfs.github.com/spec/v1\noid sha256:00\n')).toEqual([])
  })
})

test('first blocks of fixtures are those that are valid, with what is said of them but gas', () => {
  const block = {
    rlp: '0x01',
    receipts: [{ status: true, logs: [], cumulativeGasUsed: '0x5208' }],
    blockAccessList: [],
    transactions: [{ sender: '0x02', gasLimit: '0x5208' }],
    blockHeader: {},
  }
  const about = { config: {}, genesisBlockHeader: {}, pre: {} }
  const fixtures = {
    valid: { ...about, blocks: [block, {}], postState: {} },
    invalid: { ...about, blocks: [{ ...block, expectException: 'BlockException' }] },
    none: { ...about, blocks: [] },
  }
  const { blockAccessList, rlp } = block
  const receipts = [{ status: true, logs: [] }]
  expect(firstBlocksOf(JSON.stringify(fixtures))).toEqual([
    { name: 'valid', ...about, rlp, receipts, blockAccessList, senders: ['0x02'] },
  ])
  expect(firstBlocksOf('version https://git-lfs.github.com/spec/v1')).toEqual([])
})

test('schemas of results come without descriptions', () => {
  const document = {
    methods: [
      {
        name: 'eth_one',
        result: {
          name: 'it',
          schema: {
            type: 'object',
            description: 'what it is',
            properties: { description: { type: 'string', description: 'a field of that name' } },
          },
        },
      },
      { name: 'eth_none' },
    ],
  }
  expect(resultSchemas(JSON.stringify(document))).toEqual({
    eth_one: { type: 'object', properties: { description: { type: 'string' } } },
  })
})

test('sources are pinned by whole commits', () => {
  for (const { repository, commit } of [RECORDINGS, SPECIFICATION, FIXTURES]) {
    expect(repository).toMatch(/^https:\/\/github\.com\//)
    expect(commit).toMatch(/^[0-9a-f]{40}$/)
  }
})

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('a fetch', () => {
  function temporaryFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'sources-'))
    onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 3 }))
    return folder
  }

  /** A repository with two commits, in which an older one is asked for. */
  function repository() {
    const folder = temporaryFolder()
    const git = (...args: string[]) => {
      const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']
      const { status, stdout, stderr } = spawnSync('git', ['-C', folder, ...identity, ...args], {
        encoding: 'utf8',
      })
      expect(status, stderr).toBe(0)
      return stdout.trim()
    }
    git('init', '--quiet')
    git('config', 'uploadpack.allowFilter', 'true')
    git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    for (const name of ['tests', 'other']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'tests/chain.rlp'), 'a\r\nb\n')
    writeFileSync(join(folder, 'other/large'), 'not wanted')
    writeFileSync(join(folder, 'openrpc.json'), '{}')
    git('add', '.')
    git('commit', '--quiet', '--message=one')
    const commit = git('rev-parse', 'HEAD')
    writeFileSync(join(folder, 'tests/chain.rlp'), 'changed')
    git('commit', '--quiet', '--all', '--message=two')
    return { repository: pathToFileURL(folder).href, commit }
  }

  test('has the files that are named, as they are in the commit', () => {
    const folder = temporaryFolder()
    fetchSource({ ...repository(), files: ['/tests/'] }, folder)
    expect(readdirSync(folder).sort()).toEqual(['.git', 'tests'])
    expect(readFileSync(join(folder, 'tests/chain.rlp'), 'utf8')).toBe('a\r\nb\n')
  })

  test('has a single file', () => {
    const folder = temporaryFolder()
    fetchSource({ ...repository(), files: ['/openrpc.json'] }, folder)
    expect(readdirSync(folder).sort()).toEqual(['.git', 'openrpc.json'])
  })

  test('of a commit that is not there names it', () => {
    const folder = temporaryFolder()
    const source = { ...repository(), commit: '1'.repeat(40), files: ['/tests/'] }
    expect(() => fetchSource(source, folder)).toThrow(`at ${source.commit} has failed`)
    expect(existsSync(join(folder, 'tests'))).toBe(false)
  })
})
