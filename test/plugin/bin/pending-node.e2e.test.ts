import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Status } from '../../../devnet/types.ts'
import { askNode } from '../../support/peerNode.ts'
import { type HardhatProcess, startHardhat, watched } from '../hardhatProcess.ts'

const binary = fileURLToPath(new URL('../../../plugin/bin/pending-node.ts', import.meta.url))
const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

/** Fails on whatever loads Hardhat, which is there in this repository but not for those who have the binary only. */
const withoutHardhat = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(?:hardhat|@nomicfoundation)(?:\\/|$)/.test(specifier)) throw new Error('loads ' + specifier)
      return next(specifier, context)
    },
  })`)}`

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-binary-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Starts the binary in a folder that is no Hardhat project. */
function start(...args: string[]): HardhatProcess {
  return startWith({}, ...args)
}

function startWith(env: NodeJS.ProcessEnv, ...args: string[]): HardhatProcess {
  return watched(
    spawn(process.execPath, ['--import', withoutHardhat, binary, ...args], {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...env },
    }),
  )
}

async function run(...args: string[]) {
  await using binary = start(...args)
  return await binary.ended
}

async function startNode(...args: string[]) {
  const node = start('--port', '0', '--json', ...args)
  const { url }: { url: string } = JSON.parse(await node.firstLine)
  return { ...node, url }
}

/** Without what differs from node to node. */
const masked = (text: string) =>
  text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/#(token=)?[\w-]{43}$/gm, '#$1<token>')
    .replaceAll('npx hardhat pending-node', 'npx pending-node')

test('default: prints what the task prints, and ends as the task does', async () => {
  const args = ['--port', '0', '--frozen-ticks', '--accounts', '2']
  await using node = start(...args)
  await using task = startHardhat(['pending-node', ...args])
  for (const { firstLine, child } of [node, task]) {
    await firstLine
    child.kill('SIGINT')
  }
  const [own, hardhats] = await Promise.all([node.ended, task.ended])
  expect(own.stdout).toContain('To control them: npx pending-node freeze|resume')
  expect(masked(own.stdout)).toBe(masked(hardhats.stdout))
  expect([own.code, own.stderr]).toEqual([130, ''])
  expect([hardhats.code, hardhats.stderr]).toEqual([130, ''])
})

test('the commands drive a node, and the tasks drive the same one', async () => {
  await using node = await startNode('--frozen-ticks')
  const drive = async (...args: string[]): Promise<Status> => {
    const { code, stdout, stderr } = await run(...args, '--url', node.url, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const clocks = ({ ticks, sealing }: Status) => [ticks.running, sealing.running]
  const first = await drive('status')
  expect([clocks(first), first.latest.number]).toEqual([[false, false], 0])
  const advanced = await drive('advance', '--blocks', '3')
  expect([advanced.latest.number, advanced.time - first.time]).toEqual([3, 6000])
  expect((await drive('advance', '--ticks', '5')).time - advanced.time).toBe(1000)
  expect((await drive('seal')).latest.number).toBe(4)
  expect(clocks(await drive('resume'))).toEqual([true, true])
  expect(clocks(await drive('freeze'))).toEqual([true, false])
  const frozen = await drive('freeze', '--ticks')
  expect(clocks(frozen)).toEqual([false, false])

  await using task = startHardhat(['pending-node', 'status', '--url', node.url])
  const { stdout } = await run('status', '--url', node.url)
  expect(stdout).toMatch(/^time .*\nticks .*frozen\nsealing .*frozen\nlatest {3}block /)
  // While the clocks ran, blocks may have been sealed.
  expect(stdout).toContain(`\nlatest   block ${frozen.latest.number} ${frozen.latest.hash} `)
  expect((await task.ended).stdout).toBe(stdout)
})

test.each(['the binary', 'the task'])(
  "limits as anvil's users know them, and a coinbase: %s",
  async (name) => {
    const coinbase = `0x${'cb'.repeat(20)}`
    const limits = ['--disable-code-size-limit', '--transaction-gas-cap', '0']
    const args = ['--instant', '--port', '0', '--json', ...limits, '--coinbase', coinbase]
    await using node =
      name === 'the binary' ? start(...args) : startHardhat(['pending-node', ...args])
    const { url, accounts } = JSON.parse(await node.firstLine)
    const [{ address: from }] = accounts
    // One byte of code over the limit, with one gas over the cap.
    const data = '0x6160015ff3'
    const send = { from, data, gas: '0x1000001' }
    const hash = await askNode<string>(url, 'eth_sendTransaction', send)
    expect(await askNode(url, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await askNode(url, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({
      miner: coinbase,
    })
  },
)

test.each(['the binary', 'the task'])('args: the next hardfork: %s', async (name) => {
  const args = ['--instant', '--port', '0', '--json', '--hardfork', 'amsterdam']
  await using node =
    name === 'the binary' ? start(...args) : startHardhat(['pending-node', ...args])
  const { url, accounts } = JSON.parse(await node.firstLine)
  const [{ address: from }, { address: to }] = accounts
  const send = { from, to, value: '0x1', gas: '0x5208' }
  const hash = await askNode<string>(url, 'eth_sendTransaction', send)
  expect(await askNode(url, 'eth_getTransactionReceipt', hash)).toMatchObject({
    status: '0x1',
    logs: [{ address: '0xfffffffffffffffffffffffffffffffffffffffe' }],
  })
  expect(await askNode(url, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({
    slotNumber: '0x1',
  })
})

test.skipIf(process.platform === 'win32')(
  "the dashboard's token outlives a restart of the project, unless the environment sets it",
  async () => {
    const caches = mkdtempSync(join(tmpdir(), 'pending-node-caches-'))
    onTestFinished(() => rmSync(caches, { recursive: true }))
    const startOwn = (env: NodeJS.ProcessEnv) => startWith(env, '--port', '0')
    const tokenWith = async (env: NodeJS.ProcessEnv, begin = startOwn) => {
      await using node = begin({ ...env, XDG_CACHE_HOME: caches })
      await node.firstLine
      node.child.kill('SIGINT')
      const { stdout, stderr } = await node.ended
      expect(stderr).toBe('')
      return /\/dashboard\/#token=(\S+)/.exec(stdout)?.[1]
    }
    const kept = await tokenWith({})
    expect(kept).toMatch(/^[\w-]{43}$/)
    expect(await tokenWith({})).toBe(kept)
    const task = (env: NodeJS.ProcessEnv) => startHardhat(['pending-node', '--port', '0'], { env })
    const tasks = [await tokenWith({}, task), await tokenWith({}, task)]
    expect(new Set([kept, ...tasks]).size).toBe(2)
    const given = 'a-token-of-the-environment'
    expect(await tokenWith({ PENDING_NODE_DASHBOARD_TOKEN: given })).toBe(given)
    expect(await tokenWith({})).toBe(kept)
  },
)

test('SIGTERM, as a CI job stops it', async () => {
  await using node = await startNode()
  node.child.kill('SIGTERM')
  const { code, stderr } = await node.ended
  expect([code, stderr]).toEqual([143, ''])
})

test('args: help and version', async () => {
  const { code, stdout, stderr } = await run('--help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Usage: npx pending-node \[options\]\n/)
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  })
  expect((await run('seal', '--help')).stdout).toMatch(/^Usage: npx pending-node seal /)
})

describe('errors are one sentence and exit code 1', () => {
  test.each([
    ['--prot 1', '--prot is not an option; did you mean --port?'],
    ['--port 99999', '--port must be an integer from 0 to 65535, not 99999.'],
    ['stauts', '"stauts" is not a command; did you mean status?'],
    [
      '--json status',
      '"status" is one word too many; a command comes first: npx pending-node status.',
    ],
    ['seal now', '"now" is one word too many; remove it.'],
    ['advance', 'Say how far to advance: either --ticks or --blocks, with a number.'],
    ['--quiet --verbose', '--quiet cannot be combined with --verbose.'],
    ['--genesis nowhere.json', expect.stringMatching(/^nowhere\.json /)],
    [
      '--fork http://127.0.0.1:1/secret --fork-timeout 200',
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 did not give eth_chainId: .*ECONNREFUSED/),
    ],
  ])('args: %s', async (args, message) => {
    const { code, stdout, stderr } = await run(...args.split(' '))
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', message])
    expect(stderr).toMatch(/^[^\n]+\.\n$|^[^\n]+\?\n$/)
  })

  test('a port that is taken', async () => {
    await using node = await startNode()
    const { port } = new URL(node.url)
    const { code, stdout, stderr } = await run('--port', port)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^[^\\n]*${port}[^\\n]*--port[^\\n]*\\.\\n$`))
  })

  test('no node', async () => {
    const node = await startNode()
    await node[Symbol.asyncDispose]()
    expect(await run('status', '--url', node.url)).toEqual({
      code: 1,
      stdout: '',
      stderr: `No node answers at ${node.url}. Start one with "npx pending-node", or name another with --url.\n`,
    })
  })
})
