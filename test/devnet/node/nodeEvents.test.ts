import { concatHex, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import type { ConsoleLogEvent, Devnet, RequestEvent, TickEvent } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

const { abi, bytecode } = artifact('Talker')

let devnet: Devnet
let from: Hex
let talker: Hex
let prints: ConsoleLogEvent[]
let ticks: TickEvent[]
let requests: RequestEvent[]

const request = (method: string, ...params: unknown[]) =>
  devnet.provider.request({ method, params })
const encode = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args })
const messages = () => prints.map((event) => event.messages)

async function send(data: Hex, fields: object = {}): Promise<Hex> {
  // The method answers a hash.
  return (await request('eth_sendTransaction', { from, to: talker, data, ...fields })) as Hex
}

/** The events since the last look. */
function reset(): void {
  prints.length = 0
  ticks.length = 0
  requests.length = 0
}

beforeEach(async () => {
  devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000 })
  prints = []
  ticks = []
  requests = []
  await devnet.start()
  devnet.on('consoleLog', (event) => prints.push(event))
  devnet.on('tick', (event) => ticks.push(event))
  devnet.on('request', (event) => requests.push(event))
  from = devnet.accounts[0]?.address ?? '0x'
  talker = getContractAddress({ from, nonce: 0n }).toLowerCase() as Hex
  await request('eth_sendTransaction', {
    from,
    data: encodeDeployData({ abi, bytecode, args: ['Ada'] }),
  })
  await devnet.clock.advance({ ticks: 1 })
})

afterEach(() => devnet.stop())

describe('console.log of transactions', () => {
  test('default: printed when a tick takes the transaction, before the event of the tick', async () => {
    reset()
    const order: string[] = []
    devnet.on('consoleLog', () => order.push('consoleLog'))
    devnet.on('tick', () => order.push('tick'))
    const data = encode('talk', 'Bob', 5n)
    const hash = await send(data)
    expect(prints).toEqual([])
    await devnet.clock.advance({ ticks: 1 })
    expect(prints).toEqual([
      {
        transaction: hash,
        method: null,
        to: talker,
        data,
        messages: ['Bob says 5', `5 true ${from}`],
        omitted: 0,
      },
    ])
    expect(order).toEqual(['consoleLog', 'tick'])
  })

  test('a constructor prints', () => {
    expect(prints).toMatchObject([{ to: null, messages: ['made Ada'] }])
  })

  test('what reverts prints too', async () => {
    reset()
    await send(encode('fail'), { gas: '0x186a0' })
    await devnet.clock.advance({ ticks: 1 })
    expect(messages()).toEqual([['before the revert']])
    expect(ticks[0]?.transactions).toMatchObject([
      { status: 'reverted', error: { message: 'execution reverted: nope' } },
    ])
  })

  test('neither the seal nor a cheat nor a revert prints anything again', async () => {
    const id = await request('evm_snapshot')
    await send(encode('talk', 'Bob', 5n))
    await devnet.clock.advance({ ticks: 1 })
    reset()
    await request('hardhat_setBalance', `0x${'12'.repeat(20)}`, '0x1')
    await request('evm_increaseTime', 100)
    await devnet.clock.seal()
    await devnet.clock.advance({ ticks: 1 })
    await request('evm_revert', id)
    expect(messages()).toEqual([])
  })

  test('each transaction of a tick has its own', async () => {
    reset()
    const hashes = [
      await send(encode('talk', 'A', 1n)),
      await send('0x'),
      await send(encode('fail')),
    ]
    await devnet.clock.advance({ ticks: 1 })
    expect(prints.map(({ transaction, messages }) => [transaction, messages[0]])).toEqual([
      [hashes[0], 'A says 1'],
      [hashes[2], 'before the revert'],
    ])
  })

  test('a transaction to the console itself prints', async () => {
    reset()
    const data = concatHex(['0xf82c50f1', `0x${'00'.repeat(31)}07`])
    await send(data, { to: '0x000000000000000000636F6e736F6c652e6c6f67' })
    await devnet.clock.advance({ ticks: 1 })
    expect(messages()).toEqual([['7']])
  })

  test('functions that console.sol does not have print nothing', async () => {
    reset()
    await send(encode('raw', '0x12345678'))
    await send(encode('raw', '0x'))
    await devnet.clock.advance({ ticks: 1 })
    expect(prints).toEqual([])
  })

  test('a thousand lines are kept, the rest is counted', async () => {
    reset()
    await send(encode('chatter', 1003n), { gas: '0x1000000' })
    await send(encode('talk', 'after', 1n))
    await devnet.clock.advance({ ticks: 1 })
    expect(prints.map(({ messages, omitted }) => [messages.length, messages[0], omitted])).toEqual([
      [1000, '0', 3],
      [2, 'after says 1', 0],
    ])
  })
})

describe('console.log of calls', () => {
  test('default: eth_call', async () => {
    reset()
    const data = encode('look')
    await request('eth_call', { to: talker, data }, 'pending')
    expect(prints).toEqual([
      {
        transaction: null,
        method: 'eth_call',
        to: talker,
        data,
        messages: ['total is 0'],
        omitted: 0,
      },
    ])
  })

  test('a call that fails', async () => {
    reset()
    await expect(
      request('eth_call', { to: talker, data: encode('fail') }, 'pending'),
    ).rejects.toThrow('execution reverted: nope')
    expect(messages()).toEqual([['before the revert']])
  })

  test('an estimate prints only where it fails, and once, as hardhat node', async () => {
    reset()
    await request('eth_estimateGas', { from, to: talker, data: encode('talk', 'Bob', 5n) })
    expect(prints).toEqual([])
    await expect(
      request('eth_estimateGas', { from, to: talker, data: encode('fail') }),
    ).rejects.toThrow('nope')
    expect(prints).toMatchObject([{ method: 'eth_estimateGas', messages: ['before the revert'] }])
  })

  test('every call of a simulation', async () => {
    reset()
    const calls = [
      { from, to: talker, data: encode('talk', 'A', 1n) },
      { from, to: talker, data: encode('fail') },
      { from, to: talker, data: encode('look') },
    ]
    await request('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'pending')
    expect(prints.map(({ method, data, messages }) => [method, data, messages])).toEqual([
      ['eth_simulateV1', calls[0]?.data, ['A says 1', `1 true ${from}`]],
      ['eth_simulateV1', calls[1]?.data, ['before the revert']],
      ['eth_simulateV1', calls[2]?.data, ['total is 1']],
    ])
  })
})

describe('tick', () => {
  test('default: what a transaction is and did', () => {
    expect(ticks).toEqual([
      {
        block: 1,
        tick: 0,
        transactions: [
          {
            hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
            from,
            to: null,
            nonce: 0,
            gasUsed: expect.any(Number),
            status: 'success',
            tick: 0,
            value: 0n,
            // The estimate, and half of what is above a transfer.
            gasLimit: 738_810,
            data: encodeDeployData({ abi, bytecode, args: ['Ada'] }),
            contractAddress: talker,
            error: null,
          },
        ],
        elapsed: expect.any(Number),
      },
    ])
  })

  test('why a transaction failed, in words and in bytes', async () => {
    reset()
    await send(encode('whisper'))
    await send('0x', { to: talker, gas: '0x5300' })
    await devnet.clock.advance({ ticks: 1 })
    expect(ticks[0]?.transactions.map(({ error }) => error)).toEqual([
      {
        message: 'execution reverted',
        data: expect.stringMatching(/^0x[0-9a-f]{8}0{63}3$/),
      },
      { message: expect.any(String), data: '0x' },
    ])
  })
})

describe('request', () => {
  const post = async (body: unknown) =>
    (
      await fetch(devnet.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    ).text()
  const message = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })

  test('default', async () => {
    reset()
    await post(message('eth_getBalance', [from]))
    expect(requests).toEqual([
      { method: 'eth_getBalance', params: [from], elapsed: expect.any(Number), error: null },
    ])
    expect(requests[0]?.elapsed).toBeGreaterThan(0)
  })

  test('each of a batch, failed ones with their error, notifications too', async () => {
    reset()
    await post([
      message('eth_call', [{ to: talker, data: encode('fail') }, 'pending']),
      message('no_such'),
      { jsonrpc: '2.0', method: 'eth_chainId' },
      7,
    ])
    expect(requests.map(({ method, error }) => [method, error]).sort()).toEqual(
      [
        [
          'eth_call',
          {
            code: 3,
            message: 'execution reverted: nope',
            data: expect.stringMatching(/^0x08c379a0/),
          },
        ],
        ['no_such', { code: -32601, message: expect.stringContaining('no_such') }],
        ['eth_chainId', null],
        [null, { code: -32600, message: expect.any(String) }],
      ].sort(),
    )
  })

  test.each([
    ['{"id":', -32700],
    ['[]', -32600],
    [JSON.stringify(Array.from({ length: 1001 }, () => 1)), -32005],
  ])('%.20s is refused as a whole', async (body, code) => {
    reset()
    const { error } = JSON.parse(await post(body))
    expect(requests).toMatchObject([{ method: null, error }])
    expect(error.code).toBe(code)
  })

  test('requests in this process are not among them', async () => {
    reset()
    await request('eth_chainId')
    expect(requests).toEqual([])
  })
})

test('hardhat_setLoggingEnabled and anvil_setLoggingEnabled tell those who log', async () => {
  const states: boolean[] = []
  devnet.on('logging', ({ enabled }) => states.push(enabled))
  expect(await request('hardhat_setLoggingEnabled', false)).toBe(true)
  expect(await request('anvil_setLoggingEnabled', true)).toBe(null)
  expect(states).toEqual([false, true])
})
