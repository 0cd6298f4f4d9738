import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FastMachine } from '../../../devnet/engine/fast/fastMachine.ts'
import { createDevnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { runCli } from '../../../plugin/bin/cli.ts'
import { replayReport } from '../../support/replayReport.ts'
import { fakeNode } from '../fakeNode.ts'
import { type Ending, runHardhat, watched } from '../hardhatProcess.ts'

const PROGRAM = fileURLToPath(new URL('../../../plugin/bin/pending-node.ts', import.meta.url))
const NOBODY = `0x${'77'.repeat(20)}` as const

/** Stores the hash of the block before, and logs nothing: one BLOCKHASH, SSTORE and LOG0. */
const STORES = '0x600143034060005560006000a0' as const
/** Deploys a contract that adds 1 to its slot 0, and answers it. */
const COUNTER = '0x6012600c60003960126000f36000546001018060005560005260206000f3' as const

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-report-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

async function startNode(options: OptionsInput = {}) {
  const devnet = createDevnet({ port: 0, frozenTicks: true, noDashboard: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const rpc = async <Result>(method: string, ...params: readonly unknown[]) =>
    // Each caller knows what its method answers.
    (await devnet.provider.request({ method, params })) as Result
  const [from] = await rpc<Hex[]>('eth_accounts')
  return {
    devnet,
    rpc,
    from,
    /** Sends a transaction, and has it pre-confirmed. */
    async send(fields: object) {
      const hash = await rpc<Hex>('eth_sendTransaction', { from, gas: '0x80000', ...fields })
      await rpc('preconf_advance', { ticks: 1 })
      return hash
    },
  }
}

async function runProgram(...args: string[]) {
  const env = {
    ...process.env,
    USER: 'some-person',
    LOGNAME: 'some-person',
    SECRET: 'of-the-shell',
  }
  await using program = watched(spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env }))
  return await program.ended
}

/** The same in this process, which is quicker. */
async function run(...args: string[]): Promise<Ending> {
  const [log, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')]
  const lines = { stdout: '', stderr: '' }
  log.mockImplementation((line: string) => {
    lines.stdout += `${line}\n`
  })
  error.mockImplementation((line: string) => {
    lines.stderr += `${line}\n`
  })
  const code = await runCli(args)
  log.mockRestore()
  error.mockRestore()
  return { code, ...lines }
}

/** Reports a transaction on which all agree, and replays the file. */
async function expectAgreement(url: string, hash: Hex, shown: string, start = run) {
  const file = `report-${hash.slice(2, 10)}.json`
  const path = start === run ? join(folder, file) : file
  const out = start === run ? ['--out', path] : []
  expect(await start('report', hash, '--url', url, ...out)).toEqual({
    code: 0,
    stdout: `No difference: status ${shown}; ${path} has the rest.\n`,
    stderr: '',
  })
  const text = readFileSync(join(folder, file), 'utf8')
  expect((await replayReport(text)).part).toBeUndefined()
  return { report: JSON.parse(text), text }
}

describe.each(['bpo2', 'amsterdam'] as const)('%s', (hardfork) => {
  test('a transfer, a creation, a call, a failure and an authorization, each before its seal', async () => {
    const { devnet, send, rpc, from } = await startNode({ hardfork })
    const [, second] = devnet.accounts
    if (second === undefined) throw new Error('There is no second account')
    const created = await send({ data: COUNTER, gas: '0x100000' })
    const { contractAddress: to } = await rpc<{ contractAddress: Hex }>(
      'eth_getTransactionReceipt',
      created,
    )
    const authority = privateKeyToAccount(second.privateKey)
    const chain = defineChain({
      id: 31_337,
      name: 'Local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [devnet.url] } },
    })
    const wallet = createWalletClient({ account: authority, chain, transport: http(devnet.url) })
    const signed = await wallet.signAuthorization({ contractAddress: to, executor: 'self' })
    const delegating = wallet.sendTransaction({
      authorizationList: [signed],
      to: authority.address,
      gas: 500_000n,
    })
    const hashes = {
      created,
      called: await send({ to }),
      transferred: await send({ to: NOBODY, value: '0x5' }),
      stored: await send({ data: STORES, gas: '0x100000' }),
      reverted: await send({ data: '0x60006000fd' }),
      halted: await send({ data: '0xfe' }),
      delegated: await delegating,
    }
    await rpc('preconf_advance', { ticks: 1 })
    for (const [name, hash] of Object.entries(hashes)) {
      const receipt = await rpc<{ status: Hex; gasUsed: Hex }>('eth_getTransactionReceipt', hash)
      const { status, gasUsed } = receipt
      expect(status, name).toBe(name === 'reverted' || name === 'halted' ? '0x0' : '0x1')
      const { report } = await expectAgreement(devnet.url, hash, `${status} and gasUsed ${gasUsed}`)
      expect(report, name).toMatchObject({
        difference: null,
        rules: { hardfork, chainId: '0x7a69', profile: 'plain' },
        block: { number: '0x1' },
        transaction: { hash, raw: await rpc('eth_getRawTransactionByHash', hash) },
        node: { status, gasUsed },
        fast: { status, gasUsed },
        library: { status, gasUsed },
      })
      if (name === 'called') {
        const [[slot, before] = []] = Object.entries(report.prestate[to].storage)
        expect([BigInt(slot ?? 1), BigInt(String(before))]).toEqual([0n, 0n])
        expect(BigInt(report.fast.state[to].storage[slot ?? ''])).toBe(1n)
      }
      if (name === 'stored') {
        const { hash: genesis } = await rpc<{ hash: Hex }>('eth_getBlockByNumber', '0x0', false)
        expect(report.blockHashes).toEqual({ '0x0': genesis })
      }
      if (name === 'delegated') expect(report.fast.state[second.address].code).toMatch(/^0xef0100/)
      expect(report.prestate[from ?? ''] ?? report.prestate[second.address]).toBeDefined()
    }
  }, 90_000)

  test('a sealed one, in the middle of its block and of the chain', async () => {
    const { devnet, send, rpc } = await startNode({ hardfork })
    const hashes = [await send({ data: COUNTER }), await send({ data: STORES, gas: '0x100000' })]
    const last = await send({ to: NOBODY, value: '0x1' })
    await rpc('preconf_seal')
    await rpc('preconf_advance', { blocks: 2 })
    const receipt = await rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', hashes[1])
    const hash = hashes[1] ?? last
    const shown = `0x1 and gasUsed ${receipt.gasUsed}`
    const { report } = await expectAgreement(devnet.url, hash, shown, runProgram)
    expect(report.block.number).toBe('0x1')
    expect(report.node.logs).toHaveLength(1)
  }, 30_000)
})

describe('a difference', () => {
  test('a node whose engine counts gas wrongly: the file names it, and the program fails', async () => {
    const { run: right } = FastMachine.prototype
    vi.spyOn(FastMachine.prototype, 'run').mockImplementation(async function (
      this: FastMachine,
      ...parameters
    ) {
      const execution = await right.apply(this, parameters)
      return { ...execution, gasUsed: execution.gasUsed + 1n }
    })
    const { devnet, send } = await startNode()
    const hash = await send({ to: NOBODY })
    vi.restoreAllMocks()
    const file = `report-${hash.slice(2, 10)}.json`
    const { code, stdout, stderr } = await runProgram('report', hash, '--url', devnet.url)
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toBe(
      `The engines differ in gasUsed (node: status 0x1 and gasUsed 0x5209, fast: status 0x1 and gasUsed 0x5208, library: status 0x1 and gasUsed 0x5208); attach ${file} to an issue at https://github.com/OWNER/hardhat-pending-node/issues.\n`,
    )
    const text = readFileSync(join(folder, file), 'utf8')
    expect(JSON.parse(text).difference).toBe('gasUsed')
    expect((await replayReport(text)).part).toBe('gasUsed')
  })

  test('an engine that is wrong when a file is replayed', async () => {
    const { devnet, send } = await startNode()
    const hash = await send({ to: NOBODY })
    const { text } = await expectAgreement(devnet.url, hash, '0x1 and gasUsed 0x5208')
    const { run: right } = FastMachine.prototype
    vi.spyOn(FastMachine.prototype, 'run').mockImplementation(async function (
      this: FastMachine,
      ...parameters
    ) {
      return { ...(await right.apply(this, parameters)), success: false }
    })
    const { part, fast, library } = await replayReport(text)
    expect([part, fast.status, library.status]).toEqual(['status', '0x0', '0x1'])
  })

  test('each part of a file is compared', async () => {
    const { devnet, send, rpc } = await startNode()
    const hash = await send({ data: STORES, gas: '0x100000' })
    const receipt = await rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', hash)
    const { text } = await expectAgreement(devnet.url, hash, `0x1 and gasUsed ${receipt.gasUsed}`)
    const changed = async (change: object) =>
      (await replayReport(JSON.stringify({ ...JSON.parse(text), ...change }))).part
    const { node, rules, transaction } = JSON.parse(text)
    const nodeWith = (fields: object) => changed({ node: { ...node, ...fields } })
    expect(await nodeWith({})).toBeUndefined()
    expect(await nodeWith({ status: '0x0' })).toBe('status')
    expect(await nodeWith({ gasUsed: '0x1' })).toBe('gasUsed')
    expect(await nodeWith({ logs: [] })).toBe('logs')
    expect(await nodeWith({ logs: [...node.logs, ...node.logs] })).toBe('logs')
    expect(await nodeWith({ state: { [NOBODY]: { balance: '0x1' } } })).toBe('state')
    const sender = { ...node.state[transaction.from], balance: '0x1' }
    expect(await nodeWith({ state: { ...node.state, [transaction.from]: sender } })).toBe('state')
    // A stranger's file chooses nothing else.
    expect(await changed({ rules: { ...rules, loadState: 'missing.json' } })).toBeUndefined()
    await expect(changed({ rules: { ...rules, hardfork: 'tokyo' } })).rejects.toThrow(/--hardfork/)
    // Neither engine takes it without its sender's ether.
    expect(await changed({ prestate: {} })).toBe('status')
    await expect(changed({ blockHashes: {} })).rejects.toThrow(
      'The report lacks an answer to eth_getBlockByNumber',
    )
    await expect(changed({ block: {} })).rejects.toThrow('The report: block.parentHash is missing.')
  })
})

test('a fork: no URL, key, path or user is in the file', async () => {
  const upstream = await startNode()
  const deployed = await upstream.send({ data: COUNTER })
  await upstream.rpc('preconf_seal')
  const { contractAddress: to } = await upstream.rpc<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    deployed,
  )
  const { port } = new URL(upstream.devnet.url)
  const { devnet, send, rpc } = await startNode({
    fork: `http://user:pass-word@127.0.0.1:${port}/v2/api-key-123`,
  })
  const hash = await send({ to })
  const { gasUsed } = await rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', hash)
  const address = devnet.url.replace('http://', 'http://some-user:some-word@')
  const { text, report } = await expectAgreement(
    address,
    hash,
    `0x1 and gasUsed ${gasUsed}`,
    runProgram,
  )
  expect(report.prestate[to].code).toMatch(/^0x/)
  const keys = devnet.accounts.map(({ privateKey }) => privateKey.slice(2))
  const secrets = [
    ...keys,
    ...['http:', 'https:', 'ws:', '127.0.0.1', 'localhost', 'user', 'word', 'api-key', `:${port}`],
    ...[folder, homedir(), process.cwd(), tmpdir(), process.execPath, PROGRAM],
    ...['test test', devnet.options.mnemonic, 'some-person', 'of-the-shell'],
    `:${new URL(devnet.url).port}`,
  ]
  for (const secret of secrets) expect(text).not.toContain(secret)
  expect(Object.keys(report)).toEqual([
    'versions',
    'difference',
    'rules',
    'block',
    'transaction',
    'prestate',
    'blockHashes',
    'node',
    'fast',
    'library',
  ])
}, 30_000)

describe('errors are one sentence and exit code 2', () => {
  const expectError = async (args: readonly string[], message: string) => {
    const { code, stdout, stderr } = await run('report', ...args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${message}\n` })
  }
  const unknown = `0x${'12'.repeat(32)}`

  test('args', async () => {
    await expectError([], 'Name a transaction by its hash: report 0x….')
    await expectError(['0x12'], 'Name a transaction by its hash: report 0x….')
    await expectError(
      [unknown, '--otu', 'a'],
      '--otu is not an option of report; did you mean --out?',
    )
  })

  test('an unknown transaction, one that waits, and a file that is there', async () => {
    const { devnet, rpc, send, from } = await startNode()
    const { url } = devnet
    const nothing =
      'preconf_getTransactionReceipt answers nothing: the node has executed no such transaction.'
    await expectError([unknown, '--url', url], nothing)
    const hash = await send({ to: NOBODY })
    const waiting = await rpc<Hex>('eth_sendTransaction', { from, to: NOBODY })
    await expectError([waiting, '--url', url], nothing)
    const [file, missing] = [join(folder, 'mine.json'), join(folder, 'missing', 'mine.json')]
    const first = await run('report', hash, '--url', url, '--out', file, '--json')
    expect(JSON.parse(first.stdout)).toEqual({ difference: null, file })
    const text = readFileSync(file, 'utf8')
    await expectError(
      [hash, '--url', url, '--out', file],
      `${file} is there already; name another file with --out.`,
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
    await expectError(
      [hash, '--url', url, '--out', missing],
      `${missing} cannot be written: ENOENT; name another file with --out.`,
    )
  }, 30_000)

  test('a state that is no longer kept', async () => {
    const { devnet, rpc, send } = await startNode({ keepBlocks: 2 })
    const hash = await send({ to: NOBODY })
    await rpc('preconf_seal')
    await rpc('preconf_advance', { blocks: 1 })
    const { code, stderr } = await run('report', hash, '--url', devnet.url)
    expect([code, stderr]).toEqual([
      2,
      `The node at ${devnet.url} refuses debug_traceTransaction: cannot trace in block 1: the state before it is not kept; start with a larger --keep-blocks, or with 0 to keep all\n`,
    ])
  })

  test('no node, and a node of another kind', async () => {
    const { devnet } = await startNode()
    const { url } = devnet
    await devnet.stop()
    await expectError(
      [unknown, '--url', url],
      `No node answers at ${url}. Start one with "npx pending-node", or name another with --url.`,
    )
    const error = { code: -32601, message: 'the method does not exist' }
    await using foreign = await fakeNode(() => ({ error }))
    await expectError(
      [unknown, '--url', foreign.url],
      `What answers at ${foreign.url} is not a pending-node: it does not know preconf_status. Name another with --url.`,
    )
  })
})

test('the task of Hardhat does the same', async () => {
  const { devnet, send } = await startNode()
  const hash = await send({ to: NOBODY })
  const out = join(folder, 'task.json')
  const args = ['pending-node', 'report', hash, '--url', devnet.url, '--out', out]
  expect(await runHardhat(args)).toEqual({
    code: 0,
    stdout: `No difference: status 0x1 and gasUsed 0x5208; ${out} has the rest.\n`,
    stderr: '',
  })
  const again = await runHardhat(args)
  expect([again.code, again.stderr.trim()]).toEqual([
    2,
    `${out} is there already; name another file with --out.`,
  ])
}, 30_000)
