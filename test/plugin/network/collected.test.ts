import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { InProcessProvider } from '../../../devnet/rpc/inProcessProvider.ts'
import plugin from '../../../plugin/index.ts'
import { ConnectionFailures } from '../../../plugin/network/failures/connection-failures.ts'
import type { GasMeasurement } from '../../../plugin/network/gas-measurements.ts'
import { askNode } from '../../support/peerNode.ts'
import { artifact } from '../../support/solidity.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import { connect, type OpenConnection } from './stage.ts'

const { abi, bytecode }: { abi: Abi; bytecode: Hex } = artifact('Talker')
const encoded = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args })

let project: TemporaryProject

beforeAll(() => {
  project = createProject('Talker')
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})
afterAll(() => project[Symbol.dispose]())
afterEach(() => vi.restoreAllMocks())

/** A project, as Hardhat runs it with `--coverage` and `--gas-stats`, or without. */
async function open(options: { coverage?: boolean; gas?: boolean }) {
  const hits: string[][] = []
  const measured: GasMeasurement[] = []
  const hre: HardhatRuntimeEnvironment = await createHardhatRuntimeEnvironment(
    { plugins: [plugin] },
    {},
    project.path,
  )
  if (options.coverage === true) {
    hre.hooks.registerHandlers('network', {
      onCoverageData: async (_context, tags) => void hits.push(tags),
    })
  }
  if (options.gas === true) {
    hre.hooks.registerHandlers('network', {
      onGasMeasurement: (_context, measurement) => void measured.push(measurement),
    })
  }
  return { hre, hits, measured }
}

async function deploy({ rpc, send }: OpenConnection): Promise<Hex> {
  const hash = await send({
    to: undefined,
    data: encodeDeployData({ abi, bytecode, args: ['Ann'] }),
  })
  const receipt = await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
  return receipt.contractAddress
}

const FUNCTION = { type: 'function', contractFqn: 'contracts/Talker.sol:Talker', proxyChain: [] }

describe.each(['in-process', 'http'] as const)('gas, transport %s', (transport) => {
  test.each(['instant', 'pending'])('of what succeeds on %s', async (network) => {
    const { hre, measured } = await open({ gas: true })
    await using connection = await connect(hre, { transport }, { network })
    const { rpc, send } = connection
    const to = await deploy(connection)
    const code = await rpc<Hex>('eth_getCode', to, 'pending')
    expect(measured.splice(0)).toEqual([
      {
        type: 'deployment',
        contractFqn: FUNCTION.contractFqn,
        gas: expect.any(Number),
        runtimeSize: code.length / 2 - 1,
      },
    ])
    const talk = { to, data: encoded('talk', 'one', 3n), gas: '0x30d40' }
    const hash = await send(talk)
    const { gasUsed } = await rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', hash)
    const functionSig = 'talk(string,uint256)'
    expect(measured.splice(0)).toEqual([{ ...FUNCTION, functionSig, gas: Number(gasUsed) }])
    await rpc('eth_call', { to, data: encoded('total') }, 'pending')
    expect(measured.splice(0)).toEqual([
      { ...FUNCTION, functionSig: 'total()', gas: expect.any(Number) },
    ])
  })

  test('not of what fails, estimates, and what has no name', async () => {
    const { hre, measured } = await open({ gas: true })
    await using connection = await connect(hre, { transport }, { network: 'instant' })
    const { rpc, send } = connection
    const to = await deploy(connection)
    measured.length = 0
    const fail = { to, data: encoded('fail'), gas: '0x30d40' }
    await expect(rpc('eth_call', fail)).rejects.toThrow('nope')
    await expect(send(fail)).rejects.toThrow('nope')
    await rpc('eth_estimateGas', { to, data: encoded('talk', 'one', 3n) })
    await send()
    const unnamed: Hex = `0x${'aa'.repeat(20)}`
    await rpc('hardhat_setCode', unnamed, '0x00')
    await send({ to: unnamed })
    await rpc('eth_call', { to: unnamed })
    expect(measured).toEqual([])
  })
})

test('coverage: tags without a prefix, before the answer, and room for them', async () => {
  const { hre, hits } = await open({ coverage: true })
  await using connection = await connect(hre, {}, { network: 'instant' })
  const { rpc } = connection
  const to: Hex = `0x${'aa'.repeat(20)}`
  const hit = `60075f525f5f60205f73${'c0be'.repeat(10)}5afa50`
  await rpc('hardhat_setCode', to, `0x${hit}`)
  const call = rpc('eth_call', { to })
  expect(hits).toEqual([])
  await call
  expect(hits).toEqual([['7'.padStart(64, '0')]])
  await rpc('eth_call', { data: '0x6160015ff3', gas: '0x20000000' })
})

test('an error of a handler is that of the request', async () => {
  const { hre } = await open({})
  hre.hooks.registerHandlers('network', {
    onGasMeasurement: () => {
      throw new Error('no room')
    },
  })
  await using connection = await connect(hre, {}, { network: 'instant' })
  await expect(deploy(connection)).rejects.toThrow('no room')
})

describe('an error of a handler, thrown while a request runs that fails', () => {
  /** A connection on which the measurement of a transaction is refused during each `eth_call`. */
  async function openRefusing() {
    const { hre } = await open({})
    const refused = Promise.withResolvers<void>()
    let isFull = false
    hre.hooks.registerHandlers('network', {
      onGasMeasurement: () => {
        if (!isFull) return
        refused.resolve()
        throw new Error('no room')
      },
    })
    const connection = await connect(hre, { frozenTicks: true })
    const { send, pendingNode } = connection
    const data = encodeDeployData({ abi, bytecode, args: ['Ann'] })
    const hash = await send({ to: undefined, data, gas: '0x2dc6c0' })
    await pendingNode.tick()
    const { contractAddress: to } = await pendingNode.preconfirmed(hash)
    await send({ to, data: encoded('talk', 'one', 3n), gas: '0x30d40' })
    isFull = true
    const request = InProcessProvider.prototype.request
    const spied = vi.spyOn(InProcessProvider.prototype, 'request')
    spied.mockImplementation(async function (this: InProcessProvider, given) {
      if (given.method === 'eth_call') {
        await request.call(this, { method: 'preconf_advance', params: [{ ticks: 1 }] })
        await refused.promise
      }
      return await request.call(this, given)
    })
    return { connection, to }
  }

  test.each([
    ['not explained', undefined, 'execution reverted: nope'],
    ['explained', new Error('explained'), 'explained'],
  ])('is that of the next request: %s', async (_, explained, message) => {
    const { connection, to } = await openRefusing()
    await using _closed = connection
    vi.spyOn(ConnectionFailures.prototype, 'explain').mockResolvedValue(explained)
    const failing = connection.rpc('eth_call', { to, data: encoded('fail') }, 'pending')
    await expect(failing).rejects.toMatchObject({ message })
    await expect(connection.rpc('eth_chainId')).rejects.toThrow('no room')
    await connection.rpc('eth_chainId')
  })
})

describe('an error of a handler, thrown after the last request', () => {
  /** A connection that measures a transaction without being told of it. */
  async function openUntold() {
    const { hre } = await open({})
    hre.hooks.registerHandlers('network', {
      onGasMeasurement: () => {
        throw new Error('no room')
      },
    })
    const connection = await connect(hre, { frozenTicks: true })
    await connection.send({
      to: undefined,
      data: encodeDeployData({ abi, bytecode, args: ['Ann'] }),
    })
    const { url } = connection.pendingNode
    await askNode(url, 'preconf_advance', { ticks: 1 })
    return { connection, url }
  }

  test('is that of the close', async () => {
    const { connection, url } = await openUntold()
    await expect(connection.close()).rejects.toThrow(/^no room$/)
    await expect(askNode(url, 'eth_chainId')).rejects.toThrow('fetch failed')
  })

  test('is the cause of an earlier one', async () => {
    const { connection, url } = await openUntold()
    const first = new Error('stuck')
    vi.spyOn(connection.provider, 'close').mockRejectedValue(first)
    await expect(connection.close()).rejects.toBe(first)
    expect(first.cause).toEqual(new Error('no room'))
    await expect(askNode(url, 'eth_chainId')).rejects.toThrow('fetch failed')
  })

  test('without one, an earlier one is that of the close', async () => {
    const { hre } = await open({})
    const connection = await connect(hre)
    const first = new Error('stuck')
    vi.spyOn(connection.provider, 'close').mockRejectedValue(first)
    await expect(connection.close()).rejects.toBe(first)
  })
})

test('what cannot be measured is left out, and said once', async () => {
  const { hre, measured } = await open({ gas: true })
  const warned = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await using connection = await connect(hre, {}, { network: 'instant' })
  const request = InProcessProvider.prototype.request
  const broken = vi.spyOn(InProcessProvider.prototype, 'request')
  broken.mockImplementation(function (this: InProcessProvider, given) {
    if (given.method === 'eth_getCode') return Promise.reject(new Error('no code'))
    return request.call(this, given)
  })
  await deploy(connection)
  await deploy(connection)
  broken.mockRestore()
  expect(measured).toEqual([])
  expect(warned.mock.calls).toEqual([
    [expect.stringMatching(/the gas statistics are incomplete.*: Error: no code\n/)],
  ])
  await deploy(connection)
  expect(measured).toHaveLength(1)
})

test('without handlers nothing is traced and nothing recorded', async () => {
  const { hre } = await open({})
  await using connection = await connect(hre, {}, { network: 'instant' })
  const asked = vi.spyOn(InProcessProvider.prototype, 'request')
  const to = await deploy(connection)
  await connection.rpc('eth_call', { to, data: encoded('look') })
  const methods = asked.mock.calls.map(([{ method }]) => method)
  expect(methods).toContain('eth_call')
  expect(methods.filter((method) => method.startsWith('debug_'))).toEqual([])
  // Code over the limit shows that the node runs without coverage.
  await expect(connection.rpc('eth_call', { data: '0x6160015ff3' })).rejects.toThrow(
    'max code size exceeded',
  )
})
