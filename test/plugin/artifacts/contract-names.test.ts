import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import { predeploys } from '../../../devnet/protocol/systemContracts.ts'
import {
  EXECUTOR,
  EXECUTOR_CODE,
  executeCalls,
  UPGRADED,
} from '../../../devnet/wallet/core/batchExecutor.ts'
import { ArtifactFolder } from '../../../plugin/artifacts/artifact-folder.ts'
import { createContractNames, decodedMessage } from '../../../plugin/artifacts/contract-names.ts'
import { SolidityError } from '../../../plugin/network/failures/solidity-error.ts'
import { artifact } from '../../support/solidity.ts'
import { repeated } from '../sampleStatus.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'

const talker = artifact('Talker')
const AT = repeated('a', 40)
const OTHER = repeated('b', 40)
const ACCOUNTS = new Map([[repeated('c', 40), 'Account #0']])

let project: TemporaryProject

beforeEach(() => {
  project = createProject('Talker', 'Token')
})
afterEach(() => {
  project[Symbol.dispose]()
})

const folderOf = (one: TemporaryProject) => join(one.path, 'artifacts')

/** Names of calls on a node that has this code. */
function names(code: Record<string, Hex>, path = folderOf(project)) {
  const asked: string[] = []
  const find = createContractNames(
    async (method, first) => {
      asked.push(method)
      return code[String(first)] ?? '0x'
    },
    new ArtifactFolder(path),
    ACCOUNTS,
  )
  return { find, asked }
}

describe('names', () => {
  const data = encodeFunctionData({ abi: talker.abi, functionName: 'talk', args: ['a', 1n] })

  test('default', async () => {
    const { find, asked } = names({ [AT]: talker.deployedBytecode })
    expect(await find({ to: AT, data })).toEqual({
      contract: 'Talker',
      function: 'talk(string,uint256)',
      error: undefined,
      errorText: undefined,
    })
    asked.length = 0
    await find({ to: AT, data })
    // The rest is remembered.
    expect(asked).toEqual(['eth_getCode'])
  })

  test("the node's own contracts, also behind a delegation", async () => {
    for (const { address, code } of predeploys(forkRules('amsterdam'))) {
      const { find } = names({ [address]: code })
      expect(await find({ to: address, data: '0x01' })).toMatchObject({
        contract: expect.any(String),
        function: 'fallback()',
      })
    }
    const { find } = names({ [AT]: UPGRADED, [EXECUTOR]: EXECUTOR_CODE })
    expect(await find({ to: AT, data: executeCalls([]) })).toMatchObject({
      contract: 'BatchExecutor',
      function: 'execute((address,uint256,bytes)[])',
    })
  })

  test('arguments, if they are asked for, with the names of accounts and contracts', async () => {
    const token = artifact('Token')
    const { find } = names({ [AT]: token.deployedBytecode, [OTHER]: talker.deployedBytecode })
    const shown = async (to: Hex) =>
      (
        await find(
          {
            to: AT,
            data: encodeFunctionData({ ...token, functionName: 'transfer', args: [to, 5n] }),
          },
          undefined,
          { arguments: true },
        )
      )?.arguments
    const [account = '0x'] = [...ACCOUNTS.keys()] as Hex[]
    expect([await shown(account), await shown(OTHER)]).toEqual([
      expect.stringMatching(/^\w+: Account #0, \w+: 5$/),
      expect.stringMatching(/^\w+: Talker, \w+: 5$/),
    ])
    const creation = encodeDeployData({ ...talker, args: ['Ada'] })
    expect(await find({ to: null, data: creation }, undefined, { arguments: true })).toMatchObject({
      arguments: expect.stringContaining('"Ada"'),
    })
    const cut = await find({ to: OTHER, data: data.slice(0, 30) as Hex }, '0x', { arguments: true })
    expect(cut?.arguments).toBeUndefined()
  })

  test('errors that the contract declares', async () => {
    const { find } = names({ [AT]: talker.deployedBytecode })
    const error: Hex = `${toFunctionSelector('TooQuiet(uint256)')}${'00'.repeat(32)}`
    expect((await find({ to: AT, data }, error))?.error).toBe('TooQuiet(uint256)')
    expect((await find({ to: AT, data }, '0x08c379a0'))?.error).toBeUndefined()
    expect((await find({ to: AT, data }, error))?.errorText).toBe('TooQuiet(volume: 0)')
    expect((await find({ to: AT, data }, `0x${error.slice(2, 20)}`))?.errorText).toBe('TooQuiet')
    // A function is not an error, and an error is not a function.
    expect((await find({ to: AT, data }, data))?.error).toBeUndefined()
    expect((await find({ to: AT, data: error }))?.function).toBeUndefined()
  })

  test('an error of another contract, which the unknown one called', async () => {
    const { find } = names({ [OTHER]: '0x600100' })
    const error: Hex = `${toFunctionSelector('TooQuiet(uint256)')}${'00'.repeat(31)}07`
    expect(await find({ to: OTHER, data }, error)).toMatchObject({
      contract: undefined,
      error: 'TooQuiet(uint256)',
      errorText: 'TooQuiet(volume: 7)',
    })
  })

  test('a creation, with arguments behind the code', async () => {
    const { find } = names({})
    const { abi, bytecode } = talker
    const creation = encodeDeployData({ abi, bytecode, args: ['Ada'] })
    expect(await find({ to: null, data: creation })).toMatchObject({ contract: 'Talker' })
    expect(await find({ to: null, data: '0x6001' })).toMatchObject({ contract: undefined })
  })

  test('an account without code is not a contract, and an unknown contract has no name', async () => {
    const { find } = names({ [OTHER]: '0x600100' })
    expect(await find({ to: AT, data })).toBeUndefined()
    expect(await find({ to: OTHER, data })).toEqual({
      contract: undefined,
      function: undefined,
      error: undefined,
      errorText: undefined,
    })
  })

  test('an account that delegates (EIP-7702)', async () => {
    const { find } = names({ [OTHER]: `0xef0100${AT.slice(2)}`, [AT]: talker.deployedBytecode })
    expect((await find({ to: OTHER, data }))?.contract).toBe('Talker')
  })

  test('without the code, for which the node answers an error, nothing has a name', async () => {
    const refused = Object.assign(new Error('upstream: too many requests'), { code: -32000 })
    const find = (error: unknown) =>
      createContractNames(() => Promise.reject(error), new ArtifactFolder(folderOf(project)))
    expect(await find(refused)({ to: AT, data })).toMatchObject({
      contract: undefined,
      function: undefined,
    })
    // What is no answer is a defect.
    await expect(find(new TypeError('bug'))({ to: AT, data })).rejects.toThrow('bug')
  })

  test('nothing is read before a contract is called', async () => {
    const { find, asked } = names({}, join(project.path, 'no', 'such', 'folder'))
    expect(asked).toEqual([])
    expect(await find({ to: AT, data: '0x' })).toBeUndefined()
    expect(await find({ to: null, data })).toMatchObject({ contract: undefined })
  })
})

describe('folder', () => {
  const deployed = (folder: ArtifactFolder) => folder.deployedAs(talker.deployedBytecode)

  test('a new artifact is found, after a while', async () => {
    rmSync(folderOf(project), { recursive: true })
    let now = 0
    const folder = new ArtifactFolder(folderOf(project), () => now)
    expect(await folder.refresh()).toBe(false)
    project.addArtifact('Talker')
    expect(await folder.refresh()).toBe(false)
    now += 1000
    expect(await folder.refresh()).toBe(true)
    expect((await deployed(folder))[0]?.name).toBe('Talker')
    now += 1000
    expect(await folder.refresh()).toBe(false)
  })

  test('an artifact that was written anew, and one that is gone', async () => {
    let now = 0
    const folder = new ArtifactFolder(folderOf(project), () => now)
    await folder.refresh()
    const path = join(folderOf(project), 'contracts/Talker.sol/Talker.json')
    project.addArtifact('Talker', 'Renamed')
    utimesSync(path, 1, 1)
    now += 1000
    expect(await folder.refresh()).toBe(true)
    expect((await deployed(folder))[0]?.name).toBe('Renamed')
    rmSync(path)
    now += 1000
    await folder.refresh()
    expect(await deployed(folder)).toEqual([])
  })

  test('files that are no artifacts harm nobody', async () => {
    const folder = join(folderOf(project), 'contracts')
    writeFileSync(join(folder, 'half.json'), '{"contractName":')
    writeFileSync(join(folder, 'list.json'), '[]')
    mkdirSync(join(folder, 'folder.json'))
    mkdirSync(join(folderOf(project), 'build-info'))
    writeFileSync(join(folderOf(project), 'build-info', 'x.json'), '{}')
    const artifacts = new ArtifactFolder(folderOf(project))
    await artifacts.refresh()
    expect((await deployed(artifacts))[0]?.name).toBe('Talker')
  })

  test('look-ups at the same time read the folder once', async () => {
    const folder = new ArtifactFolder(folderOf(project))
    expect(await Promise.all([folder.refresh(), folder.refresh()])).toEqual([true, true])
    expect(await folder.refresh()).toBe(false)
  })

  test('of two that fit, the longer one is meant', async () => {
    const path = mkdtempSync(join(tmpdir(), 'pending-node-artifacts-'))
    for (const [name, bytecode] of [
      ['A', '0x6001'],
      ['B', '0x600160026003'],
      ['C', '0x60016002'],
    ]) {
      const json = { contractName: name, abi: [], bytecode, deployedBytecode: '0x00' }
      writeFileSync(join(path, `${name}.json`), JSON.stringify(json))
    }
    const folder = new ArtifactFolder(path)
    await folder.refresh()
    const found = await folder.createdBy('0x60016002600300')
    expect(found.map(({ name }) => name)).toEqual(['B'])
    rmSync(path, { recursive: true })
  })
})

describe('revert data that no artifact knows', () => {
  const message = 'execution reverted'
  const data: Hex = '0xdeadbeef01'
  const shown = 'execution reverted: unrecognized custom error (return data: 0xdeadbeef01)'

  test.each<[Hex, string, string]>([
    [data, message, shown],
    ['0x', message, message],
    [data, 'execution reverted: why', 'execution reverted: why'],
  ])('%s, with the message "%s"', async (bytes, given, expected) => {
    const failed = { message: given, data: bytes, call: { to: OTHER, data: '0x' as const } }
    const contracts = new ArtifactFolder(folderOf(project))
    expect(await decodedMessage(async () => '0x', contracts, failed)).toBe(expected)
  })

  test('with Solidity frames', () => {
    const explanation =
      'VM Exception while processing transaction: reverted with an unrecognized custom error (return data: 0xdeadbeef01)'
    const explained = { message: explanation, solidityStack: '', stack: '', data }
    expect(new SolidityError({ message, data }, explained).message).toBe(shown)
  })
})
