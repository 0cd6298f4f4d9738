import { once } from 'node:events'
import { createServer } from 'node:net'
import type { NetworkConfig } from 'hardhat/types/config'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { DevnetNode } from '../../../devnet/node/node.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import plugin, { pendingNode } from '../../../plugin/index.ts'
import { connect, createHre, opened } from './stage.ts'

let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  hre = await createHre({ fast: pendingNode({ tickInterval: 5, chainId: 7 }) })
})

test('default', async () => {
  await using connection = opened(await hre.network.create('pending'))
  expect(await connection.rpc('eth_chainId')).toBe('0x7a69')
  expect(await connection.rpc('web3_clientVersion')).toMatch(/^HardhatPendingNode\//)
  expect(connection.pendingNode.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('asyncDispose: stops the node', async () => {
  let url: string
  {
    await using connection = await hre.network.create('pending')
    url = connection.pendingNode.url
    expect((await fetch(`${url}/health`)).status).toBe(200)
  }
  await expect(fetch(url)).rejects.toThrow()
})

test('five at once do not see each other', async () => {
  const connections = await Promise.all(
    Array.from({ length: 5 }, async () => connect(hre, { frozen: true, tickInterval: 5 })),
  )
  const [account] = (await connections[0]?.rpc<string[]>('eth_accounts')) ?? []
  for (const [index, connection] of connections.entries()) {
    for (let sent = 0; sent < index; sent++) {
      await connection.pendingNode.preconfirmed(await connection.send())
    }
  }
  const nonces = connections.map(({ rpc }) => rpc('eth_getTransactionCount', account, 'pending'))
  expect(await Promise.all(nonces)).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4'])
  expect(new Set(connections.map(({ pendingNode }) => pendingNode.url)).size).toBe(5)
  await Promise.all(connections.map((connection) => connection.close()))
})

test('getOrCreate shares one', async () => {
  const first = await hre.network.getOrCreate('fast')
  expect(await hre.network.getOrCreate('fast')).toBe(first)
  await first.close()
})

test('override', async () => {
  await using frozen = await connect(hre, { frozenTicks: true, chainId: 99 })
  expect(await frozen.rpc('eth_chainId')).toBe('0x63')
  expect((await frozen.pendingNode.status()).ticks).toEqual({
    interval: 200,
    running: false,
    next: null,
  })
  await using merged = await connect(hre, { frozen: true }, { network: 'fast' })
  expect(await merged.rpc('eth_chainId')).toBe('0x7')
  expect((await merged.pendingNode.status()).sealing.running).toBe(false)
})

test('instant: seals each transaction at once, also with other options', async () => {
  for (const options of [{}, { chainId: 99 }]) {
    await using connection = await connect(hre, options, { network: 'instant' })
    const receipt = await connection.rpc('eth_getTransactionReceipt', await connection.send())
    const { hash } = await connection.rpc<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect(receipt).toMatchObject({ blockNumber: '0x1', blockHash: hash })
    expect(await connection.rpc('hardhat_getAutomine')).toBe(true)
    expect(await connection.rpc('eth_chainId')).toBe(options.chainId === 99 ? '0x63' : '0x7a69')
  }
})

test("args: the network's own chainId holds for the node", async () => {
  await using connection = await connect(hre, {}, { chainId: 4242 })
  expect(await connection.rpc('eth_chainId')).toBe('0x1092')
  // Hardhat's own check of the chain id is content too.
  expect(await connection.send()).toMatch(/^0x/)
})

test('close', async () => {
  const connection = await connect(hre)
  const { url } = connection.pendingNode
  await connection.close()
  await expect(connection.rpc('eth_chainId')).rejects.toThrow(/HHE\d+/)
  await expect(connection.pendingNode.status()).rejects.toThrow(/HHE\d+/)
  await expect(fetch(url)).rejects.toThrow()
  await connection.close()
})

test('a port that is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await expect(connect(hre, { port })).rejects.toThrow(
    /network "pending" cannot start: Port \d+ on 127.0.0.1 is in use.*Leave networks.pending.pendingNode.port and hostname out/,
  )
  server.close()
})

test('a file that is not there', async () => {
  await expect(connect(hre, { genesis: 'nowhere.json' })).rejects.toThrow(
    /network "pending" cannot start: .*nowhere\.json/,
  )
})

/** A plugin that fails once a connection is made, whose configuration it may look at before. */
function failingPlugin(look?: (networkConfig: NetworkConfig) => Promise<void>): typeof plugin {
  return {
    id: 'failing',
    hookHandlers: {
      network: async () => ({
        default: async () => ({
          newConnection: async (context, next) => {
            const { networkConfig } = await next(context)
            await look?.(networkConfig)
            throw new Error('no such luck')
          },
        }),
      }),
    },
  }
}

test.each([
  ['before', (failing: typeof plugin) => [failing, plugin]],
  ['after', (failing: typeof plugin) => [plugin, failing]],
] as const)('a plugin listed %s that fails', async (_place, list) => {
  let url = ''
  const failing = failingPlugin(async (networkConfig) => {
    // Inside, the network has the address of the connection being made.
    if (networkConfig.type === 'http') url = await networkConfig.url.getUrl().catch(() => '')
  })
  const other = await createHre({}, list(failing))
  await expect(other.network.create('pending')).rejects.toThrow('no such luck')
  expect(url).toMatch(/^http:/)
  await expect(fetch(url)).rejects.toThrow()
})

test('a connection that fails, and a node that fails to stop after it', async () => {
  const stop = vi.spyOn(DevnetNode.prototype, 'stop')
  onTestFinished(() => stop.mockRestore())
  const stopped: Promise<void>[] = []
  stop.mockImplementation(async function (this: DevnetNode) {
    stop.mockRestore()
    stopped.push(this.stop())
    throw new Error('no way to stop')
  })
  const other = await createHre({}, [failingPlugin(), plugin])
  const error = await other.network.create('pending').catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: 'no such luck', cause: { message: 'no way to stop' } })
  expect(stopped.length).toBe(1)
  await Promise.all(stopped)
})

test('a profile shows the node as a network does, and the status tells it', async () => {
  await using connection = await connect(hre, { profile: 'base-flashblocks', frozen: true })
  const block = () =>
    connection.rpc<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', 'pending', false)
  expect((await block()).number).toBe('0x0')
  const hash = await connection.send()
  await connection.pendingNode.preconfirmed(hash)
  expect(await block()).toMatchObject({ number: '0x1', hash: `0x${'0'.repeat(64)}` })
  expect(await connection.pendingNode.status()).toMatchObject({
    profile: 'base-flashblocks',
    ticks: { interval: 200 },
  })
})
