import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeFunctionData } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { isObject } from '../../../devnet/primitives/json.ts'
import { anvilProgram, startAnvil } from '../../support/anvil.ts'
import { type PeerNode, startHardhat, startOurs } from '../../support/peerNode.ts'
import { createProject, type Project } from './project.ts'

let project: Project

beforeAll(async () => {
  project = await createProject()
})
afterAll(() => project[Symbol.dispose]())
afterEach(() => vi.restoreAllMocks())

const hardhatNode = () => startHardhat(project.hre)

const program = anvilProgram()

const anvil = () => startAnvil(program ?? '')

/** Answers as another node does, and refuses to trace. */
async function withoutTracer(node: PeerNode): Promise<PeerNode & { asked: string[] }> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { id, method } = JSON.parse(body.toString())
    asked.push(method)
    response.setHeader('content-type', 'application/json')
    if (method.startsWith('debug_')) {
      const error = { code: -32601, message: `${method} does not exist` }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
      return
    }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(node.url, { method: 'POST', headers, body })
    response.end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function connect(url: string, override: object = {}) {
  const connection = await project.hre.network.create({
    network: 'localhost',
    override: { url, ...override },
  })
  const { address: to, abi } = await connection.viem.deployContract('Failures')
  const call = (functionName: string, args: unknown[] = []) => ({
    to,
    // The functions and arguments of the contract are not known to the types here.
    data: encodeFunctionData({ abi, functionName, args } as never),
  })
  const fails = async (method: string, ...params: unknown[]) => {
    const error: unknown = await connection.provider.request({ method, params }).then(
      () => undefined,
      (reason) => reason,
    )
    if (!isObject(error)) throw new Error('No failure')
    const { name, code, message, solidityStack } = error
    return { name, code, message, solidityStack }
  }
  return { connection, call, fails, [Symbol.asyncDispose]: () => connection.close() }
}

const words = {
  geth: {
    custom: /^execution reverted: Refused\("0x\w{40}", 2\)$/,
    bare: 'execution reverted without a reason string',
  },
  hardhat: {
    custom: /^VM Exception .* reverted with custom error 'Refused\("0x\w{40}", 2\)'$/,
    bare: 'Transaction reverted without a reason string',
  },
}
const nodes: [string, () => Promise<PeerNode>, typeof words.geth][] = [
  ['this node', () => startOurs(), words.geth],
  ['hardhat node', hardhatNode, words.hardhat],
]
if (program !== undefined) nodes.push(['anvil', anvil, words.geth])

describe.each(nodes)('%s', (_, start, { custom, bare }) => {
  test('default', async () => {
    await using node = await start()
    await using stage = await connect(node.url)
    const { call, fails } = stage
    const wanted = {
      name: 'SolidityError',
      code: 3,
      message: expect.stringMatching(custom),
      solidityStack: expect.stringMatching(
        /^Failures\._inner .*\nFailures\._outer .*\nFailures\.nested \(contracts\/Failures\.sol:\d+\)$/,
      ),
    }
    expect(await fails('eth_call', call('nested', [1n]), 'latest')).toEqual(wanted)
    expect(await fails('eth_estimateGas', call('nested', [1n]))).toEqual(wanted)
    const [from] = (await stage.connection.provider.request({ method: 'eth_accounts' })) as string[]
    expect(await fails('eth_sendTransaction', { from, ...call('nested', [1n]) })).toEqual(wanted)
    expect(await fails('eth_call', call('bare'), 'latest')).toMatchObject({
      message: bare,
    })
  })
})

test.each(['preconfirmed', 'sealed'] as const)(
  'why a transaction failed, before its seal, with receipts %s',
  async (receipts) => {
    await using node = await startOurs({ instant: false, receipts, sealInterval: 50 })
    await using stage = await connect(node.url)
    const { call, connection } = stage
    await connection.pendingNode.freeze()
    const [client] = await connection.viem.getWalletClients()
    const hash = await client?.sendTransaction({ ...call('nested', [1n]), gas: 100_000n })
    expect(await connection.pendingNode.failure(hash ?? '0x')).toMatchObject({
      message: expect.stringMatching(words.geth.custom),
      solidityStack: expect.stringMatching(/^Failures\._inner /),
    })
  },
)

test('a node without the tracer', async () => {
  await using node = await startOurs()
  await using proxy = await withoutTracer(node)
  await using stage = await connect(proxy.url)
  const { call, fails } = stage
  expect(await fails('eth_call', call('reason'), 'latest')).toEqual({
    name: 'ProviderError',
    code: 3,
    message: 'execution reverted: because',
    solidityStack: undefined,
  })
  expect(proxy.asked).toContain('debug_traceCall')
})

test.each([
  ['london', 'london'],
  ['paris', 'merge'],
  ['shanghai', 'shanghai'],
  ['cancun', 'cancun'],
  ['prague', 'prague'],
  ['bpo2', undefined],
  // Not by its name, which Hardhat 3.8 does not know.
  ['amsterdam', undefined],
] as const)('a node at %s executes it again at %s', async (hardfork, wanted) => {
  // Another chain than those of the tests before, whose networks are kept.
  await using node = await startOurs({ hardfork, chainId: 7_777 })
  const connection = await project.hre.network.create({
    network: 'localhost',
    override: { url: node.url },
  })
  const to = `0x${'aa'.repeat(20)}`
  const rpc = (method: string, ...params: unknown[]) =>
    connection.provider.request({ method, params })
  // PUSH1 0 PUSH1 0 REVERT.
  await rpc('hardhat_setCode', to, '0x60006000fd')
  const create = vi.spyOn(project.hre.network, 'create')
  await expect(rpc('eth_call', { to }, 'latest')).rejects.toMatchObject({ name: 'SolidityError' })
  expect(create.mock.calls).toEqual([
    [{ network: 'localhost:replay', override: expect.objectContaining({ chainId: 7_777 }) }],
  ])
  const [[made] = []] = create.mock.calls
  expect(isObject(made) && isObject(made.override) && made.override.hardfork).toBe(wanted)
  await connection.close()
})

test('success asks for nothing more', async () => {
  await using node = await startOurs()
  await using proxy = await withoutTracer(node)
  await using stage = await connect(proxy.url)
  await stage.connection.provider.request({
    method: 'eth_call',
    params: [stage.call('stored'), 'latest'],
  })
  const before = proxy.asked.length
  const params = [stage.call('stored'), 'latest']
  await stage.connection.provider.request({ method: 'eth_call', params })
  await stage.connection.provider.request({ method: 'eth_call', params })
  expect(proxy.asked.slice(before)).toEqual(['eth_call', 'eth_call'])
})

describe('stackTraces', () => {
  test('false', async () => {
    await using node = await startOurs()
    await using stage = await connect(node.url, { stackTraces: false })
    expect(await stage.fails('eth_call', stage.call('reason'), 'latest')).toMatchObject({
      name: 'ProviderError',
    })
  })

  test.each([
    [undefined, 'ProviderError'],
    [true, 'SolidityError'],
  ])('a node on another machine, %s', async (stackTraces, name) => {
    await using node = await startOurs({ allowHost: ['0.0.0.0'] })
    // A name of this machine that does not say so.
    const url = node.url.replace('127.0.0.1', '0.0.0.0')
    const override = stackTraces === undefined ? {} : { stackTraces }
    await using stage = await connect(url, override)
    expect(await stage.fails('eth_call', stage.call('reason'), 'latest')).toMatchObject({ name })
  })
})
