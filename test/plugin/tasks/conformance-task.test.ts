import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { TaskArguments } from 'hardhat/types/tasks'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { runCli } from '../../../plugin/bin/cli.ts'
import plugin from '../../../plugin/index.ts'

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

async function start(): Promise<string> {
  const devnet = createDevnet({ port: 0, noWallet: true, profile: 'base-flashblocks' })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet.url
}

async function run(args: TaskArguments): Promise<unknown> {
  const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })
  return await hre.tasks.getTask(['pending-node', 'conformance']).run(args)
}

test('default: a line a check, and the numbers', async () => {
  const result = await run({
    endpoint: await start(),
    profile: 'base-flashblocks',
    only: 'kinds.newHeads,errors',
  })
  expect(result).toEqual({ success: true, value: undefined })
  const [, text] = printed.mock.calls.flat()
  expect(text).toMatch(/^Before anything is sent\n {2}✓ errors\.send +Errors: reth\n/)
  expect(text).toMatch(/\n\nSubscriptions\n {2}✓ kinds\.newHeads +`eth_subscribe`: yes\n/)
  expect(text).toMatch(/\n5 checks passed, 0 failed, 0 not applicable$/)
})

test('args: json: nothing else on stdout, and a failure is one', async () => {
  const args = ['--profile', 'xlayer', '--only', 'kinds.flashblocks,errors.gap', '--json']
  expect(await runCli(['conformance', await start(), ...args])).toBe(1)
  expect(printed).toHaveBeenCalledTimes(1)
  const { passed, failed, notApplicable } = JSON.parse(printed.mock.calls[0]?.[0] ?? '')
  expect([passed, notApplicable]).toMatchObject([[{ name: 'errors.gap' }], []])
  expect(failed).toMatchObject([
    { name: 'kinds.flashblocks', came: expect.stringContaining('no \\"flashblocks\\"') },
  ])
  expect(complained.mock.calls).toEqual([[expect.stringContaining('spends at most')]])
})

test('args: list, for people and as JSON, without an endpoint', async () => {
  expect(
    await runCli(['conformance', '--list', '--profile', 'base-flashblocks', '--only', 'latest']),
  ).toBe(0)
  expect(printed.mock.calls[0]?.[0]).toMatch(/latest\.balance .*\n3 checks$/s)
  await run({ list: true, json: true, profile: 'base-flashblocks', only: 'latest' })
  const list = JSON.parse(printed.mock.calls[1]?.[0] ?? '')
  expect(list).toHaveLength(3)
  expect(complained).not.toHaveBeenCalled()
})

test.each<[string, string[], RegExp]>([
  ['no profile', ['http://127.0.0.1:1'], /^Name the network with --profile: plain, /],
  ['a second word', ['a', 'b', '--profile', 'base'], /^"b" is one word too many/],
  [
    'an unknown option',
    ['a', '--profil', 'base'],
    /^--profil is not an option of conformance; did/,
  ],
])('refuses %s in a sentence', async (_, args, message) => {
  expect(await runCli(['conformance', ...args])).toBe(1)
  expect(complained.mock.calls).toEqual([[expect.stringMatching(message)]])
  expect(printed).not.toHaveBeenCalled()
})
