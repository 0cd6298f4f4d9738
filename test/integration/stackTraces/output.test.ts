import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { assertEmittedBeforeSeal } from '../../../plugin/assertions/index.ts'
import { type Ending, startHardhat, watched } from '../../plugin/hardhatProcess.ts'
import { createProject, type Project } from './project.ts'

let project: Project

beforeAll(async () => {
  project = await createProject()
})
afterAll(() => project[Symbol.dispose]())

const PREAMBLE = `import { network } from 'hardhat'
const { viem, ethers, pendingNode } = await network.create('pending')
const { address } = await viem.deployContract('Failures')
const withViem = await viem.getContractAt('Failures', address)
const withEthers = await ethers.getContractAt('Failures', address)
`

const TESTS = `
test('viem', async () => {
  await withViem.read.nested([1n]) // line of viem
})
test('ethers', async () => {
  await withEthers.nested(2n) // line of ethers
})
test('a send', async () => {
  await withEthers.store(7n) // line of the send
})
`

/** Runs a test file in the project, without this package's test runner. */
async function run(name: string, source: string, ...command: string[]) {
  writeFileSync(join(project.folder, name), source)
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' }
  for (const key of Object.keys(env)) if (/^(?:VITEST|NODE_TEST_CONTEXT)/.test(key)) delete env[key]
  await using child = watched(
    spawn(process.execPath, [...command, name], { cwd: project.folder, env }),
  )
  const { stdout, stderr }: Ending = await child.ended
  const lineOf = (text: string) =>
    source.split('\n').findIndex((line) => line.includes(`line of ${text}`)) + 1
  return { output: stdout + stderr, lineOf }
}

describe('a failing test', () => {
  test('in node:test', async () => {
    const { output, lineOf } = await run(
      'failing.test.ts',
      `import { test } from 'node:test'\n${PREAMBLE}${TESTS}`,
      '--test',
    )
    expect(output).toMatch(/fail 3/)
    // The frames of Solidity, then the line of the test.
    expect(output).toMatch(
      new RegExp(
        `execution reverted: Refused\\("0x\\w{40}", 3\\)\\n +at Failures\\._inner \\(contracts/Failures\\.sol:\\d+\\)[^]*failing\\.test\\.ts:${lineOf('ethers')}:`,
      ),
    )
    expect(output).toMatch(
      new RegExp(
        `Failures\\.store \\(contracts/Failures\\.sol:\\d+\\)[^]*failing\\.test\\.ts:${lineOf('the send')}:`,
      ),
    )
    expect(output).toContain(`failing.test.ts:${lineOf('viem')}:`)
  })

  test('in vitest, whose output has no source text', async () => {
    const { output, lineOf } = await run(
      'failing.spec.ts',
      `import { test } from 'vitest'\n${PREAMBLE}${TESTS}`,
      'node_modules/vitest/vitest.mjs',
      'run',
      '--testTimeout=60000',
    )
    expect(output).toMatch(/3 failed/)
    for (const text of ['viem', 'ethers', 'the send']) {
      expect(output).toContain(`failing.spec.ts:${lineOf(text)}:`)
    }
    expect(output).toMatch(/❯ Failures\._inner contracts\/Failures\.sol:\d+:1\n/)
    expect(output).not.toMatch(/pragma solidity|sourceContent/)
  })
})

const NODES: Readonly<Record<string, string[]>> = {
  'pending-node': ['pending-node', '--instant', '--anvil'],
  'node --network': ['node', '--network', 'logged'],
  'node --network, without stack traces': ['node', '--network', 'unexplained'],
}

test.each(Object.entries(NODES))(
  'the log of the node shows the place in Solidity: %s',
  async (name, command) => {
    await using hardhat = startHardhat([...command, '--port', '0'], { cwd: project.folder })
    let log = ''
    hardhat.child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
    const url = /http:\/\/\S+/.exec(await hardhat.firstLine)?.[0] ?? ''
    const rpc = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body })
      // The tests know what the methods answer.
      return ((await response.json()) as { result: unknown }).result
    }
    const [from] = (await rpc('eth_accounts')) as [Hex]
    const { abi, bytecode } = await project.hre.artifacts.readArtifact('Failures')
    await rpc('eth_sendTransaction', { from, data: bytecode, gas: '0x800000' })
    const to = getContractAddress({ from, nonce: 0n })
    const data = (functionName: string, args: unknown[]) =>
      // The functions and arguments of the contract are not known to the types here.
      encodeFunctionData({ abi, functionName, args } as never)
    await rpc('eth_sendTransaction', { from, to, data: data('nested', [5n]), gas: '0x186a0' })
    await rpc('eth_call', { from, to, data: data('custom', [8n]) }, 'latest')
    await vi.waitFor(() => expect(log).toContain('eth_call Failures.custom'), 60_000)
    const frames = [
      ' {6}at Failures\\._inner \\(contracts/Failures\\.sol:\\d+\\)',
      ' {6}at Failures\\._outer \\(contracts/Failures\\.sol:\\d+\\)',
      ' {6}at Failures\\.nested \\(contracts/Failures\\.sol:\\d+\\)',
    ]
    const isExplained = !name.includes('without')
    expect(log).toMatch(
      new RegExp(
        [
          ` {4}Error: execution reverted: Refused\\(who: ${to.toLowerCase()}, amount: 6\\)`,
          ...(isExplained ? frames : ['']),
        ].join('\\n'),
      ),
    )
    expect(log).toMatch(
      /failed +eth_call Failures\.custom {2}execution reverted: Refused\(who: 0x\w{40}, amount: 8\)/,
    )
  },
)

test('an assertion tells why a transaction failed', async () => {
  await using connection = await project.hre.network.create('pending')
  const { viem } = connection
  const contract = await viem.deployContract('Failures')
  const [client] = await viem.getWalletClients()
  const hash = await client?.sendTransaction({
    to: contract.address,
    data: encodeFunctionData({ abi: contract.abi, functionName: 'blank' }),
    gas: 100_000n,
  })
  await expect(assertEmittedBeforeSeal(hash ?? '', connection, {})).rejects.toThrow(
    /, but it failed, and so emitted nothing: execution reverted: Blank\(\), at Failures\.blank \(contracts\/Failures\.sol:\d+\)$/,
  )
})

test('an assertion that asks a client or an address decodes a custom error', async () => {
  await using connection = await project.hre.network.create('pending')
  const { viem, pendingNode } = connection
  const contract = await viem.deployContract('Failures')
  const [client] = await viem.getWalletClients()
  const hash = await client?.sendTransaction({
    to: contract.address,
    data: encodeFunctionData({ abi: contract.abi, functionName: 'custom', args: [5n] }),
    gas: 100_000n,
  })
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(project.folder)
  for (const node of [await viem.getPublicClient(), pendingNode.url]) {
    await expect(assertEmittedBeforeSeal(hash ?? '', node, {})).rejects.toThrow(
      /, but it failed, and so emitted nothing: execution reverted: Refused\(who: 0x\w{40}, amount: 5\)$/,
    )
  }
  cwd.mockRestore()
})

test('why a transaction failed is decoded without stack traces, too', async () => {
  await using connection = await project.hre.network.create({
    network: 'pending',
    override: { stackTraces: false },
  })
  const { viem, pendingNode } = connection
  const contract = await viem.deployContract('Failures')
  const [client] = await viem.getWalletClients()
  const send = (functionName: string, args: unknown[] = []) =>
    client?.sendTransaction({
      to: contract.address,
      // The functions and arguments of the contract are not known to the types here.
      data: encodeFunctionData({ abi: contract.abi, functionName, args } as never),
      gas: 100_000n,
    })
  const message = async (hash: Hex | undefined) =>
    (await pendingNode.failure(hash ?? '0x'))?.message
  expect(await message(await send('custom', [5n]))).toMatch(
    /^execution reverted: Refused\(who: 0x\w{40}, amount: 5\)$/,
  )
  expect(await message(await send('reason'))).toBe('execution reverted: because')
})
