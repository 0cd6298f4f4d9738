import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../../../devnet/options/profileTable.ts'
import { HeldBytes } from '../../../../devnet/primitives/heldBytes.ts'
import type { SealedBlock } from '../../../../devnet/protocol/block.ts'
import type { RpcContext } from '../../../../devnet/rpc/context.ts'
import { createDispatch, type Dispatch } from '../../../../devnet/rpc/dispatch.ts'
import { nextMessage, openWebSocket, requestText, startServer } from '../../server/support.ts'
import { CALLER } from '../fakeMethods.ts'

const bytes = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)

/** What `formatHeader` reads of a block. */
const BLOCK = {
  number: 7,
  hash: `0x${'aa'.repeat(32)}`,
  header: {
    parentHash: bytes(32, 1),
    sha3Uncles: bytes(32, 2),
    coinbase: bytes(20, 3),
    stateRoot: bytes(32, 4),
    transactionsRoot: bytes(32, 5),
    receiptsRoot: bytes(32, 6),
    logsBloom: bytes(256, 0),
    difficulty: 0n,
    number: 7n,
    gasLimit: 60_000_000n,
    gasUsed: 0n,
    timestamp: 1_700_000_000n,
    extraData: bytes(0, 0),
    mixHash: bytes(32, 8),
    nonce: bytes(8, 0),
  },
} as unknown as SealedBlock // The fields above are all that is looked at.

interface FakeChain {
  readonly dispatch: Dispatch
  readonly listeners: Set<(block: SealedBlock) => void>
  seal(): void
}

function fakeChain(): FakeChain {
  const listeners = new Set<(block: SealedBlock) => void>()
  const chain = {
    held: HeldBytes.ofNode(),
    events: {
      sealed: {
        add(listener: (block: SealedBlock) => void) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    },
  }
  // The two methods look at nothing else.
  const context = {
    chain,
    clocks: { faults: undefined },
    fork: { border: undefined },
    options: { maxSubscriptions: 2, maxTotalSubscriptions: 3 },
    profile: profileOf('plain'),
  } as unknown as RpcContext
  const dispatch = createDispatch({
    context,
    methods: {
      eth_subscribe: () => import('../../../../devnet/rpc/methods/eth_subscribe.ts'),
      eth_unsubscribe: () => import('../../../../devnet/rpc/methods/eth_unsubscribe.ts'),
    },
    maxBatch: 10,
  })
  return {
    dispatch,
    listeners,
    seal() {
      for (const listener of listeners) listener(BLOCK)
    },
  }
}

const KINDS = `there are ${profileOf('plain').kinds.join(', ')}`

describe('eth_subscribe', () => {
  test('args: newHeads', async () => {
    const { dispatch, listeners, seal } = fakeChain()
    const { url } = await startServer({ dispatch })
    const client = await openWebSocket(url)
    client.send(requestText('eth_subscribe', 'newHeads'))
    const answer = await nextMessage(client)
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: expect.stringMatching(/^0x[0-9a-f]{32}$/),
    })
    const { result: subscription } = answer as { result: string }
    const message = nextMessage(client)
    seal()
    expect(await message).toMatchObject({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription, result: { number: '0x7', hash: BLOCK.hash, gasLimit: '0x3938700' } },
    })

    client.send(requestText('eth_unsubscribe', subscription))
    expect(await nextMessage(client)).toMatchObject({ result: true })
    expect(listeners.size).toBe(0)
    client.send(requestText('eth_unsubscribe', subscription))
    expect(await nextMessage(client)).toMatchObject({ result: false })
  })

  test('subscriptions end with the connection', async () => {
    const { dispatch, listeners } = fakeChain()
    const { url } = await startServer({ dispatch })
    const client = await openWebSocket(url)
    client.send(
      `[${requestText('eth_subscribe', 'newHeads')},${requestText('eth_subscribe', 'newHeads')}]`,
    )
    await nextMessage(client)
    // One for both: what a seal brings is encoded once.
    expect(listeners.size).toBe(1)
    client.close()
    await once(client, 'close')
    await expect.poll(() => listeners.size).toBe(0)
  })

  test.each([
    [['foo'], -32602, `no "foo" subscription in eth namespace; ${KINDS}`],
    [['__proto__'], -32602, `no "__proto__" subscription in eth namespace; ${KINDS}`],
    [['x'.repeat(60)], -32602, `no "${'x'.repeat(50)}…" subscription in eth namespace; ${KINDS}`],
    [['newHeads', {}], -32602, 'too many arguments, want at most 1'],
    [['newHeads', null, 1], -32602, 'too many arguments, want at most 2'],
    [[1], -32602, 'invalid argument 0: want a string, got a number'],
    [[], -32602, 'missing value for required argument 0'],
  ])('refuses %j', async (params, code, message) => {
    const { dispatch } = fakeChain()
    const { url } = await startServer({ dispatch })
    const client = await openWebSocket(url)
    client.send(requestText('eth_subscribe', ...params))
    expect(await nextMessage(client)).toMatchObject({ error: { code, message } })
  })

  test('no more than maxSubscriptions', async () => {
    const { dispatch } = fakeChain()
    const { url } = await startServer({ dispatch })
    const client = await openWebSocket(url)
    const subscribe = requestText('eth_subscribe', 'newHeads', null)
    client.send(`[${subscribe},${subscribe},${subscribe}]`)
    expect(await nextMessage(client)).toMatchObject([
      { result: expect.any(String) },
      { result: expect.any(String) },
      { error: { code: -32005, message: expect.stringMatching(/^this connection has 2 /) } },
    ])
  })

  test('no more than maxTotalSubscriptions on all connections', async () => {
    const { dispatch } = fakeChain()
    const { url } = await startServer({ dispatch })
    const subscribe = requestText('eth_subscribe', 'newHeads')
    const [first, second] = [await openWebSocket(url), await openWebSocket(url)]
    first.send(`[${subscribe},${subscribe}]`)
    await nextMessage(first)
    second.send(`[${subscribe},${subscribe}]`)
    const answers = await nextMessage(second)
    expect(answers).toMatchObject([
      { result: expect.any(String) },
      {
        error: {
          code: -32005,
          message:
            'the node has 3 subscriptions, which is the limit; end one with eth_unsubscribe, or start the node with a higher --max-total-subscriptions',
        },
      },
    ])
    // Whoever ends one, or leaves, makes room.
    const [{ result }] = answers as [{ result: string }]
    second.send(requestText('eth_unsubscribe', result))
    expect(await nextMessage(second)).toMatchObject({ result: true })
    first.close()
    await once(first, 'close')
    await expect
      .poll(async () => {
        second.send(requestText('eth_subscribe', 'newHeads'))
        return nextMessage(second)
      })
      .toMatchObject({ result: expect.any(String) })
    second.send(requestText('eth_subscribe', 'newHeads'))
    expect(await nextMessage(second)).toMatchObject({ result: expect.any(String) })
  })

  test.each(['eth_subscribe', 'eth_unsubscribe'])('%s without a connection', async (method) => {
    const { dispatch } = fakeChain()
    await expect(dispatch.request({ method, params: ['newHeads'] }, CALLER)).rejects.toMatchObject({
      code: -32601,
      message: 'notifications not supported',
    })
  })
})
