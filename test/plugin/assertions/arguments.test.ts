import { JsonRpcProvider } from 'ethers'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { createPublicClient, createTestClient, createWalletClient, http, webSocket } from 'viem'
import { hardhat } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import {
  assertNotPreconfirmed,
  assertPreconfirmed,
  assertSealed,
  type NodeLike,
} from '../../../plugin/assertions/index.ts'
import { type Answer, fakeNode } from '../fakeNode.ts'
import { createStage, failure, type Stage } from './stage.ts'

/** A node in one of the forms that assertions take, and what ends it. */
type Form = (url: string, stage: Stage) => Promise<[NodeLike, () => unknown]>

const nothing = () => undefined

const forms: [string, Form][] = [
  ['address', async (url) => [url, nothing]],
  ['devnet', async (_, { devnet }) => [devnet, nothing]],
  ['EIP-1193 provider', async (_, { devnet }) => [devnet.provider, nothing]],
  ['viem', async (url) => [createPublicClient({ transport: http(url) }), nothing]],
  [
    'viem over a WebSocket',
    async (url) => {
      const client = createPublicClient({ transport: webSocket(url.replace('http', 'ws')) })
      return [client, async () => (await client.transport.getRpcClient()).close()]
    },
  ],
  [
    'viem, test client',
    async (url) => [
      createTestClient({ mode: 'hardhat', chain: hardhat, transport: http(url) }),
      nothing,
    ],
  ],
  ['viem, wallet', async (url) => [createWalletClient({ transport: http(url) }), nothing]],
  [
    'ethers',
    async (url) => {
      const provider = new JsonRpcProvider(url, 31337, { staticNetwork: true, batchMaxCount: 1 })
      return [provider, () => provider.destroy()]
    },
  ],
  [
    'Hardhat',
    async (url) => {
      const hre = await createHardhatRuntimeEnvironment({
        networks: { devnet: { type: 'http', url } },
      })
      const connection = await hre.network.create('devnet')
      return [connection, () => connection.close()]
    },
  ],
]

test.each(forms)('args: %s', async (_, form) => {
  await using stage = await createStage()
  const hash = await stage.send()
  const [node, end] = await form(stage.devnet.url, stage)
  try {
    expect((await failure(assertPreconfirmed(hash, node))).message).toContain('clocks are frozen')
    await stage.devnet.clock.advance({ ticks: 1 })
    await assertPreconfirmed(hash, node)
  } finally {
    await end()
  }
})

const hash = `0x${'ab'.repeat(32)}`

describe('another node', () => {
  /** Knows no transaction, and none of this node's methods. */
  const answer = (method: string): Answer => {
    if (method === 'eth_chainId') return { result: '0x7a69' }
    if (method.startsWith('eth_getTransaction')) return { result: null }
    return { error: { code: -32601, message: 'the method does not exist' } }
  }

  test.each(forms.filter(([name]) => /^(address|viem|ethers|Hardhat)$/.test(name)))(
    '%s',
    async (_, form) => {
      await using stage = await createStage()
      await using node = await fakeNode(answer)
      const [like, end] = await form(node.url, stage)
      try {
        const error = await failure(assertNotPreconfirmed(hash, like))
        expect(error.message).toBe(
          'The node is not a pending-node: it does not know preconf_status.',
        )
      } finally {
        await end()
      }
    },
  )

  test('that of Hardhat', async () => {
    const { network } = await createHardhatRuntimeEnvironment({})
    const connection = await network.create()
    try {
      const error = await failure(assertNotPreconfirmed(hash, connection))
      expect(error.message).toContain('it does not know preconf_status')
    } finally {
      await connection.close()
    }
  })

  test.each<[string, Answer, string]>([
    ['no JSON', { http: 200, body: '<html>' }, 'is not a JSON-RPC node'],
    [
      'refusal',
      { error: { code: -32005, message: 'too many' } },
      'refuses eth_getTransactionReceipt: too many',
    ],
  ])('%s', async (_, answer, text) => {
    await using node = await fakeNode(() => answer)
    expect((await failure(assertNotPreconfirmed(hash, node.url))).message).toContain(text)
  })
})

test('another node with pre-confirmations', async () => {
  await using node = await fakeNode((method) =>
    method === 'eth_getTransactionReceipt'
      ? { result: { blockHash: `0x${'0'.repeat(64)}`, blockNumber: '0x5', logs: [] } }
      : { result: 5 },
  )
  await assertPreconfirmed(hash, node.url)
  expect(node.requests).toEqual([{ method: 'eth_getTransactionReceipt', params: [hash] }])
  expect((await failure(assertSealed(hash, node.url))).message).toContain(
    'it answers preconf_status without a status',
  )
})

test('nothing answers', async () => {
  const stage = await createStage()
  const { url } = stage.devnet
  await stage[Symbol.asyncDispose]()
  expect((await failure(assertNotPreconfirmed(hash, url))).message).toBe(
    `No node answers at ${url}.`,
  )
})

test.each<[unknown, string]>([
  ['ws://127.0.0.1:8545', 'The node\'s address is one such as http://127.0.0.1:8545, not "ws://'],
  ['8545', 'not "8545"'],
  [undefined, 'The node is an address such as'],
  [{}, 'an object with request() or send()'],
  [{ provider: null }, 'or one with such a provider'],
])('not a node: %s', async (node, text) => {
  // What JavaScript passes in spite of the types.
  const error = await failure(assertNotPreconfirmed(hash, node as NodeLike))
  expect(error).toBeInstanceOf(TypeError)
  expect(error.message).toContain(text)
})
