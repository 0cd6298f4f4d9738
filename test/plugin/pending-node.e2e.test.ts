import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Status } from '../../devnet/types.ts'
import { createTestChain } from '../support/chain.ts'
import { BLOCK_FORKS, exportBlocks, genesisOf, temporaryFile } from '../support/genesisFile.ts'
import { runHardhat, startHardhat, startNpxHardhat } from './hardhatProcess.ts'

/** A node that is up, and what it said when it was. */
async function startNode(...args: string[]) {
  const hardhat = startHardhat(['pending-node', '--port', '0', '--json', ...args])
  // The form is asserted by the first test.
  const ready = JSON.parse(await hardhat.firstLine) as { url: string }
  return { ...hardhat, ...ready }
}

async function request(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.json()
}

/** Runs a control task with `--json` and answers the status that it printed. */
async function control(url: string, ...args: string[]): Promise<Status> {
  const { code, stdout, stderr } = await runHardhat([
    'pending-node',
    ...args,
    '--url',
    url,
    '--json',
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  // The plugin checked that it is a status.
  return JSON.parse(stdout) as Status
}

/** Whether a server can listen at the port of `url` again. */
async function isFree(url: string): Promise<boolean> {
  const server = createServer()
  server.listen(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    // What `once` throws is the reason why the server cannot listen.
    return false
  } finally {
    server.close()
  }
}

test('default', async () => {
  await using node = await startNode()
  expect(JSON.parse(await node.firstLine)).toEqual({
    event: 'ready',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    flashblocks: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/flashblocks$/),
    chainId: 31337,
    accounts: Array.from({ length: 20 }, () => ({
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })),
    clocks: { tickInterval: 200, sealInterval: 2000, frozen: false, frozenTicks: false },
    wallet: {
      url: `${node.url}/wallet`,
      pageUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/wallet\/#[\w-]+$/),
    },
    dashboard: { pageUrl: expect.stringContaining(`${node.url}/dashboard/#token=`) },
  })
  expect(JSON.parse(await node.firstLine).accounts[0]).toEqual({
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  })
  expect(await request(node.url, 'eth_chainId')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: '0x7a69',
  })
})

test('the tasks drive both clocks', async () => {
  await using node = await startNode('--frozen-ticks')
  const { url } = node
  const clocks = ({ ticks, sealing }: Status) => [ticks.running, sealing.running]

  const first = await control(url, 'status')
  expect([clocks(first), first.latest.number, first.pending.number]).toEqual([[false, false], 0, 1])

  const advanced = await control(url, 'advance', '--blocks', '3')
  expect([advanced.latest.number, advanced.time - first.time]).toEqual([3, 6000])

  const ticked = await control(url, 'advance', '--ticks', '5')
  expect([ticked.latest.number, ticked.time - advanced.time]).toEqual([3, 1000])

  expect((await control(url, 'seal')).latest.number).toBe(4)
  expect(clocks(await control(url, 'resume'))).toEqual([true, true])
  expect(clocks(await control(url, 'freeze'))).toEqual([true, false])
  expect(clocks(await control(url, 'freeze', '--ticks'))).toEqual([false, false])
})

test('a transaction shows in the lines of its tick and of its block', async () => {
  await using node = await startNode('--frozen-ticks')
  const [from, to] = JSON.parse(await node.firstLine).accounts
  await request(node.url, 'eth_sendTransaction', [
    { from: from.address, to: to.address, value: '0x1' },
  ])
  await control(node.url, 'advance', '--ticks', '1')
  await control(node.url, 'seal')
  node.child.kill('SIGINT')
  const { stdout } = await node.ended
  const [, ...events] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toEqual([
    {
      event: 'tick',
      block: 1,
      tick: 0,
      transactions: [
        {
          hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          from: from.address,
          to: to.address,
          nonce: 0,
          gasUsed: 21_000,
          status: 'success',
          tick: 0,
          value: '1',
          gasLimit: 21_000,
          contractAddress: null,
          contract: null,
          function: null,
          error: null,
        },
      ],
      elapsed: expect.any(Number),
    },
    {
      event: 'seal',
      number: 1,
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      timestamp: expect.any(Number),
      transactions: 1,
      gasUsed: 21_000,
      baseFeePerGas: '875000000',
      elapsed: expect.any(Number),
    },
  ])
})

describe('end', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('args: %s', async (signal, code) => {
    await using node = await startNode()
    await request(node.url, 'eth_chainId')
    node.child.kill(signal)
    const ending = await node.ended
    expect([ending.code, ending.stderr]).toEqual([code, ''])
    expect(await isFree(node.url)).toBe(true)
  })

  test.skipIf(process.platform === 'win32')('Ctrl-C in a terminal', async () => {
    await using npx = startNpxHardhat(['pending-node', '--port', '0', '--json'])
    const { url } = JSON.parse(await npx.firstLine)
    await request(url, 'eth_chainId')
    process.kill(-Number(npx.child.pid), 'SIGINT')
    const { stderr } = await npx.ended
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(await isFree(url)).toBe(true)
  })

  test('a reader that goes away does not end the node', async () => {
    await using node = await startNode('--frozen-ticks')
    node.child.stdout?.destroy()
    await control(node.url, 'seal')
    const { latest } = await control(node.url, 'seal')
    expect(latest.number).toBe(2)
    node.child.kill('SIGINT')
    const { code, stderr } = await node.ended
    expect([code, stderr]).toEqual([130, ''])
  })
})

test('args: genesis and import', async () => {
  const genesis = genesisOf({ ...BLOCK_FORKS, shanghaiTime: 0 }, { timestamp: 1_700_000_000 })
  const files = { genesis: temporaryFile('genesis.json', genesis) }
  const source = await createTestChain(files)
  await source.clocks.advanceBlocks(3)
  const blocks = temporaryFile('chain.rlp', exportBlocks(source.chain))
  await using node = await startNode('--genesis', files.genesis, '--import', blocks, '--frozen')
  expect(JSON.parse(await node.firstLine)).toMatchObject({ event: 'ready', chainId: 4242 })
  expect(await request(node.url, 'eth_getBlockByNumber', ['finalized', false])).toMatchObject({
    result: { number: '0x3', hash: source.chain.head.hash },
  })
  node.child.kill('SIGINT')
  const [, second] = (await node.ended).stdout.split('\n')
  expect(JSON.parse(second ?? '')).toMatchObject({ event: 'import', file: blocks, blocks: 3 })
})

test('args: quiet', async () => {
  await using node = startHardhat(['pending-node', '--port', '0', '--quiet', '--frozen'])
  const line = await node.firstLine
  const url = /^Started HTTP and WebSocket JSON-RPC server at (http:\/\/127\.0\.0\.1:\d+)\/$/.exec(
    line,
  )
  await control(url?.[1] ?? '', 'seal')
  node.child.kill('SIGINT')
  expect(await node.ended).toEqual({ code: 130, stdout: `${line}\n`, stderr: '' })
})

describe('errors are one sentence and exit code 1', () => {
  test('a port that is taken', async () => {
    await using node = await startNode()
    const { port } = new URL(node.url)
    const { code, stdout, stderr } = await runHardhat(['pending-node', '--port', port])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^[^\\n]*${port}[^\\n]*--port[^\\n]*\\.\\n$`))
  })

  test.each([
    ['--port 99999', '--port must be an integer from 0 to 65535, not 99999.'],
    ['--port abc', '--port must be an integer from 0 to 65535, not "abc".'],
    ['--order foo', '--order must be one of fifo, fees, not "foo".'],
    [
      '--hardfork nope',
      '--hardfork must be one of london, paris, shanghai, cancun, prague, osaka, bpo1, bpo2, amsterdam, not "nope".',
    ],
    ['--tick-interval -1', '--tick-interval must be an integer from 0 to 3600000, not -1.'],
    [
      '--mnemonic junk',
      '--mnemonic must be 12, 15, 18, 21 or 24 lower-case words with one space between them.',
    ],
  ])('args: %s', async (args, message) => {
    expect(await runHardhat(['pending-node', ...args.split(' ')])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${message}\n`,
    })
  })

  test('a chain that cannot be imported', async () => {
    const genesis = temporaryFile('genesis.json', genesisOf({}))
    const blocks = temporaryFile('chain.rlp', Uint8Array.of(0xc8, 0xc0))
    const run = (...args: string[]) => runHardhat(['pending-node', '--port', '0', ...args])
    expect(await run('--genesis', genesis, '--import', blocks)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${blocks}, byte 0: the file ends inside a block, 7 bytes too early.\n`,
    })
    expect(await run('--genesis', blocks)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\S+chain\.rlp is not JSON: [^\n]+\n$/),
    })
    expect(await run('--genesis', genesis, '--chain-id', '31337')).toEqual({
      code: 1,
      stdout: '',
      stderr: '--chain-id cannot be combined with --genesis: the genesis file decides it.\n',
    })
  })

  test('no node', async () => {
    const node = await startNode()
    await node[Symbol.asyncDispose]()
    expect(await runHardhat(['pending-node', 'status', '--url', node.url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `No node answers at ${node.url}. Start one with "npx hardhat pending-node", or name another with --url.\n`,
    })
  })

  test('an option that is none', async () => {
    const { code, stderr } = await runHardhat(['pending-node', '--prot', '1'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--prot')])
  })
})
