import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { NetworkUserConfig } from 'hardhat/types/config'
import type { TaskArguments } from 'hardhat/types/tasks'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import plugin from '../../../plugin/index.ts'
import { fakeNode } from '../fakeNode.ts'
import { sampleStatus } from '../sampleStatus.ts'

const printed = vi.fn<(line: string) => void>()
const complained = vi.fn<(line: string) => void>()

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(printed)
  vi.spyOn(console, 'error').mockImplementation(complained)
})

afterEach(() => {
  vi.restoreAllMocks()
  printed.mockReset()
  complained.mockReset()
})

async function run(task: string, args: TaskArguments): Promise<unknown> {
  const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })
  return await hre.tasks.getTask(['pending-node', task]).run(args)
}

test.each<[string, TaskArguments, string, unknown[]]>([
  ['status', {}, 'preconf_status', []],
  ['seal', {}, 'preconf_seal', []],
  ['resume', {}, 'preconf_resume', []],
  ['freeze', {}, 'preconf_freeze', []],
  ['freeze', { ticks: true }, 'preconf_freeze', [{ ticks: true }]],
  ['faults', {}, 'preconf_faults', []],
  ['faults', { clear: true }, 'preconf_faults', [{ rules: [] }]],
  ['advance', { ticks: '3' }, 'preconf_advance', [{ ticks: 3 }]],
  ['advance', { blocks: '1e3' }, 'preconf_advance', [{ blocks: 1000 }]],
])('default: %s %o', async (task, args, method, params) => {
  await using node = await fakeNode(() => ({ result: sampleStatus }))
  const result = await run(task, { url: node.url, ...args })
  expect(result).toEqual({ success: true, value: sampleStatus })
  expect(node.requests).toEqual([{ method, params }])
  expect(printed.mock.calls).toEqual([[expect.stringMatching(/^time .*\nticks .*\nsealing /)]])
})

test.each(['status', 'seal', 'resume', 'freeze'])('args: json, %s', async (task) => {
  await using node = await fakeNode(() => ({ result: sampleStatus }))
  await run(task, { url: node.url, json: true })
  expect(printed.mock.calls).toEqual([[JSON.stringify(sampleStatus)]])
})

describe('args: file', () => {
  const script = { rules: [{ kind: 'drop', next: 1 }], seed: 7 }

  /** The path of a file, for the time of a test. */
  async function fileOf(content: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'faults-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'faults.json')
    await writeFile(file, content)
    return file
  }

  test('default', async () => {
    await using node = await fakeNode(() => ({ result: sampleStatus }))
    await run('faults', { url: node.url, file: await fileOf(JSON.stringify(script)) })
    expect(node.requests).toEqual([{ method: 'preconf_faults', params: [script] }])
  })

  test.each([
    ['[]', 'holds no object with rules'],
    ['{', 'cannot be read: it is not JSON.'],
  ])('error: %s', async (text, message) => {
    await run('faults', { file: await fileOf(text) })
    expect(complained.mock.calls).toEqual([[expect.stringContaining(message)]])
  })

  test('error: no such file, and both options', async () => {
    await run('faults', { file: '/nowhere/faults.json' })
    await run('faults', { file: 'faults.json', clear: true })
    expect(complained.mock.calls).toEqual([
      [expect.stringContaining('/nowhere/faults.json cannot be read: ENOENT')],
      ['--file and --clear exclude each other.'],
    ])
  })
})

describe('errors', () => {
  const which = 'Say how far to advance: either --ticks or --blocks, with a number.'

  test.each<[TaskArguments, string]>([
    [{}, which],
    [{ ticks: '1', blocks: '1' }, which],
    [{ ticks: '0' }, '--ticks must be a positive integer, not "0".'],
    [{ ticks: '-1' }, '--ticks must be a positive integer, not "-1".'],
    [{ blocks: 'ten' }, '--blocks must be a positive integer, not "ten".'],
    [{ blocks: '1.5' }, '--blocks must be a positive integer, not "1.5".'],
    [
      { blocks: '99999999999999999999' },
      '--blocks must be a positive integer, not "99999999999999999999".',
    ],
  ])('args: advance %o', async (args, message) => {
    await using node = await fakeNode(() => ({ result: sampleStatus }))
    const result = await run('advance', { url: node.url, ...args })
    expect(result).toEqual({ success: false, error: message })
    expect(node.requests).toEqual([])
    expect(complained.mock.calls).toEqual([[message]])
    expect(printed).not.toHaveBeenCalled()
  })

  test('no node', async () => {
    const node = await fakeNode(() => ({ result: null }))
    await node[Symbol.asyncDispose]()
    const message = `No node answers at ${node.url}. Start one with "npx hardhat pending-node", or name another with --url.`
    expect(await run('status', { url: node.url })).toEqual({ success: false, error: message })
    expect(complained.mock.calls).toEqual([[message]])
  })
})

describe('args: network', () => {
  /** As with `--network`, or `HARDHAT_NETWORK` in the environment. */
  async function runOn(
    network: string,
    networks: Record<string, NetworkUserConfig>,
    args: TaskArguments = {},
  ): Promise<unknown> {
    const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin], networks }, { network })
    return await hre.tasks.getTask(['pending-node', 'status']).run(args)
  }

  test('default: the node behind it, with the headers that it needs', async () => {
    await using node = await fakeNode(() => ({ result: sampleStatus }))
    const staging: NetworkUserConfig = {
      type: 'http',
      url: node.url,
      httpHeaders: { authorization: 'Bearer 1', 'content-type': 'text/plain' },
    }
    const result = await runOn('staging', { staging })
    expect(result).toEqual({ success: true, value: sampleStatus })
    expect(node.requests).toEqual([{ method: 'preconf_status', params: [] }])
    expect(node.requestHeaders).toMatchObject([
      { authorization: 'Bearer 1', 'content-type': 'application/json' },
    ])
  })

  test('--url comes first', async () => {
    await using node = await fakeNode(() => ({ result: sampleStatus }))
    for (const network of ['pending', 'default']) {
      expect(await runOn(network, {}, { url: node.url })).toMatchObject({ success: true })
    }
    expect(node.requests).toHaveLength(2)
  })

  const other =
    'To reach a node in another process, use --url, or --network with an http network that has its url.'

  test.each([
    [
      'pending',
      `Each connection to network "pending" has a node of its own, in the process of the test: call the methods of connection.pendingNode there. ${other}`,
    ],
    ['default', `Network "default" is simulated by Hardhat and has no pending-node. ${other}`],
    [
      'nowhere',
      'There is no network "nowhere"; there are default, instant, localhost, node, pending.',
    ],
    [
      'constructor',
      'There is no network "constructor"; there are default, instant, localhost, node, pending.',
    ],
  ])('%s', async (network, message) => {
    expect(await runOn(network, {})).toEqual({ success: false, error: message })
    expect(complained.mock.calls).toEqual([[message]])
  })

  test('nobody answers there', async () => {
    const node = await fakeNode(() => ({ result: null }))
    await node[Symbol.asyncDispose]()
    const message = `No node answers at ${node.url}. Start one with "npx hardhat pending-node", or name another with --url.`
    expect(await runOn('gone', { gone: { type: 'http', url: node.url } })).toEqual({
      success: false,
      error: message,
    })
  })
})
