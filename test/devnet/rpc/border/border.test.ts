import { describe, expect, test } from 'vitest'
import { DevnetError } from '../../../../devnet/primitives/errors.ts'
import { type Hex, quantity, toHex } from '../../../../devnet/primitives/hex.ts'
import { encodeBlock } from '../../../../devnet/protocol/block.ts'
import { ZERO_HASH } from '../methods/rpcChain.ts'
import { createBorderChain, FORK, hashAt, hashOf, setBorder } from './borderChain.ts'

const ADDRESS: Hex = `0x${'Aa'.repeat(20)}`
const CALL = { to: ADDRESS, data: '0x01', fromTheFuture: true }

/** Parameters before the block of the methods that read the state of one. */
const STATE_METHODS: Readonly<Record<string, readonly unknown[]>> = {
  debug_traceCall: [CALL],
  eth_call: [CALL],
  eth_createAccessList: [CALL],
  eth_estimateGas: [CALL],
  eth_getAccountInfo: [ADDRESS],
  eth_getBalance: [ADDRESS],
  eth_getCode: [ADDRESS],
  eth_getStorageAt: [ADDRESS, '0x0'],
  eth_getStorageValues: [{ [ADDRESS]: ['0x0'] }],
  eth_getTransactionCount: [ADDRESS],
  eth_simulateV1: [{ blockStateCalls: [{ calls: [CALL] }] }],
}

/** By-number and by-hash names of the methods that read a block, and parameters behind it. */
const BLOCK_METHODS: readonly (readonly [string, string, ...unknown[]])[] = [
  ['debug_traceBlockByNumber', 'debug_traceBlockByHash', { tracer: 'callTracer' }],
  ['debug_getRawBlock', 'debug_getRawBlock'],
  ['debug_getRawBlockAccessList', 'debug_getRawBlockAccessList'],
  ['debug_getRawHeader', 'debug_getRawHeader'],
  ['debug_getRawReceipts', 'debug_getRawReceipts'],
  ['eth_getBlockAccessList', 'eth_getBlockAccessList'],
  ['eth_getBlockByNumber', 'eth_getBlockByHash', true],
  ['eth_getBlockReceipts', 'eth_getBlockReceipts'],
  ['eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'],
  ['eth_getHeaderByNumber', 'eth_getHeaderByHash'],
  ['eth_getRawTransactionByBlockNumberAndIndex', 'eth_getRawTransactionByBlockHashAndIndex', '0x0'],
  ['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex', '0x0'],
  ['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex', '0x0'],
  ['eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'],
]

/** What no node decodes the same way twice. */
const FOREIGN = { type: '0x7e', sourceHash: '0x01', list: [{ mint: null }], number: 1.5 }

describe('state', () => {
  test.for(Object.entries(STATE_METHODS))('default: %s', async ([method, before]) => {
    const { asked, call } = await createBorderChain({ [method]: FOREIGN })
    expect(await call(method, ...before, '0x2')).toEqual(FOREIGN)
    expect(asked.splice(0)).toEqual([[method, ...before, '0x2']])
    // The fork block's own state, and all later ones, are this node's.
    for (const block of [quantity(FORK), '0x4', 'latest', 'pending', 'safe', 'finalized', null]) {
      const answer = await call(method, ...before, block)
      expect(answer).not.toEqual(FOREIGN)
    }
    expect(asked).toEqual([])
  })

  test('args: block', async () => {
    const { asked, call, failure, forkHash } = await createBorderChain({ eth_getBalance: '0x7' })
    const answers = []
    const below = ['0x0', '0x02', { blockNumber: '0x1' }, 'earliest']
    for (const block of below) answers.push(await call('eth_getBalance', ADDRESS, block))
    expect(answers).toEqual(below.map(() => '0x7'))
    // In the form that every node takes; what the upstream's first block is, it knows itself.
    expect(asked.splice(0)).toEqual(
      ['0x0', '0x2', '0x1', 'earliest'].map((block) => ['eth_getBalance', ADDRESS, block]),
    )
    for (const block of [forkHash, { blockHash: forkHash }]) {
      expect(await call('eth_getBalance', ADDRESS, block)).toBe('0x0')
    }
    expect(await failure('eth_getBalance', ADDRESS, '0x63')).toEqual({
      code: -32001,
      message: 'block not found: 0x63',
    })
    expect(asked).toEqual([])
  })

  test('args: overrides go along', async () => {
    const { asked, call } = await createBorderChain({ eth_call: '0x2a' })
    const overrides = { [ADDRESS]: { balance: '0x1' } }
    const block = { number: '0x99', whatever: 1 }
    expect(await call('eth_call', CALL, '0x1', overrides, block)).toBe('0x2a')
    expect(asked).toEqual([['eth_call', CALL, '0x1', overrides, block]])
  })

  test('args: decimal numbers, on a node that takes them', async () => {
    const { asked, call } = await createBorderChain({ eth_getBalance: '0x7' }, { anvil: true })
    expect(await call('eth_getBalance', ADDRESS, 2)).toBe('0x7')
    expect(asked).toEqual([['eth_getBalance', ADDRESS, '0x2']])
  })

  test('debug_traceCall within the fork block is upstream’s', async () => {
    const { asked, call, forkHash } = await createBorderChain({ debug_traceCall: FOREIGN })
    const config = { txIndex: '0x0' }
    expect(await call('debug_traceCall', CALL, quantity(FORK), config)).toEqual(FOREIGN)
    expect(asked).toEqual([['debug_traceCall', CALL, { blockHash: forkHash }, config]])
  })
})

describe('blocks', () => {
  test.for(BLOCK_METHODS)('default: %s', async ([method, byHash, ...rest]) => {
    const answers = { [method]: FOREIGN, [byHash]: FOREIGN }
    const hardfork = method.endsWith('AccessList') ? 'amsterdam' : 'bpo2'
    const { asked, call, forkHash } = await createBorderChain(answers, { hardfork })
    expect(await call(method, '0x2', ...rest)).toEqual(FOREIGN)
    expect(await call(method, 'earliest', ...rest)).toEqual(FOREIGN)
    // By number, the upstream could have another block by now.
    expect(await call(method, quantity(FORK), ...rest)).toEqual(FOREIGN)
    const hash = byHash === method ? { blockHash: forkHash } : forkHash
    expect(asked.splice(0)).toEqual([
      [method, '0x2', ...rest],
      [method, 'earliest', ...rest],
      [byHash, hash, ...rest],
    ])
    expect(await call(method, '0x4', ...rest)).not.toEqual(FOREIGN)
    expect(await call(method, 'latest', ...rest)).not.toEqual(FOREIGN)
    expect(asked).toEqual([])
  })

  test('tags that mean the fork block', async () => {
    const { asked, call, context, forkHash } = await createBorderChain({
      eth_getBlockReceipts: FOREIGN,
    })
    await call('anvil_rollback', 5 - FORK)
    expect(context.chain.head.number).toBe(FORK)
    for (const tag of ['latest', 'safe', 'finalized']) {
      expect(await call('eth_getBlockReceipts', tag)).toEqual(FOREIGN)
    }
    expect(asked).toEqual([1, 2, 3].map(() => ['eth_getBlockReceipts', { blockHash: forkHash }]))
  })

  test('the fork block itself is known', async () => {
    const { asked, call, forkHash, json } = await createBorderChain()
    expect(await call('eth_getBlockByNumber', quantity(FORK), false)).toEqual(json)
    expect(await call('eth_getBlockByHash', forkHash)).toEqual(json)
    expect(asked).toEqual([])
  })

  test('what refuses a form in words of its own takes another one', async () => {
    const { asked, answers, call, failure, forkHash } = await createBorderChain()
    const number = quantity(FORK)
    const method = 'eth_getBlockReceipts'
    answers[method] = (block: unknown) => {
      if (typeof block === 'object') throw new DevnetError(-32000, 'cannot unmarshal object')
      return FOREIGN
    }
    expect(await call(method, number)).toEqual(FOREIGN)
    expect(asked.splice(0).map(([, block]) => block)).toEqual([{ blockHash: forkHash }, forkHash])
    // Once one was taken, an error is about something else.
    const error = { code: -32000, message: 'out of memory' }
    answers[method] = new DevnetError(error.code, error.message)
    expect(await failure(method, number)).toEqual(error)
    expect(asked.splice(0)).toHaveLength(1)
  })

  test.each([
    [-32601, 'the method does not exist', 1],
    [3, 'execution reverted', 1],
    [-32000, 'cannot unmarshal object', 4],
  ])('an error %i that is about no form, or about each, is told', async (code, message, times) => {
    const { asked, answers, failure } = await createBorderChain()
    answers.eth_getBlockReceipts = new DevnetError(code, message)
    answers.eth_getBlockByNumber = {}
    const hint = `the upstream does not know eth_getBlockReceipts, and blocks up to the fork block ${FORK} are its own: `
    expect(await failure('eth_getBlockReceipts', quantity(FORK))).toEqual({
      code,
      message: code === -32601 ? `${hint}${message}` : message,
    })
    expect(asked).toHaveLength(times)
  })

  test('upstreams that take a hash in another form, or none', async () => {
    const refusal = new DevnetError(-32602, 'invalid argument')
    const { asked, answers, call, failure, forkHash } = await createBorderChain()
    const number = quantity(FORK)
    const method = 'eth_getBlockReceipts'
    const receipts = () => call(method, number)
    const object = [method, { blockHash: forkHash }]
    const bare = [method, forkHash]
    answers[method] = () => {
      throw refusal
    }
    answers.eth_getBlockByNumber = { hash: forkHash }
    // Nothing is learned of a request that is refused in every form.
    expect(await failure(method, number)).toEqual({ code: -32602, message: 'invalid argument' })
    const check = ['eth_getBlockByNumber', number, false]
    expect(asked.splice(0)).toEqual([object, bare, [method, number], check])
    answers[method] = (block: unknown) => {
      if (typeof block === 'object') throw refusal
      return FOREIGN
    }
    expect([await receipts(), await receipts()]).toEqual([FOREIGN, FOREIGN])
    expect(asked.splice(0)).toEqual([object, bare, bare])
    answers[method] = (block: unknown) => {
      if (block !== number) throw refusal
      return FOREIGN
    }
    expect([await receipts(), await receipts()]).toEqual([FOREIGN, FOREIGN])
    expect(asked.splice(0)).toEqual([bare, [method, number], check, [method, number], check])
    // By number, it may be another block.
    answers.eth_getBlockByNumber = { hash: hashAt(3) }
    expect(await failure(method, number)).toMatchObject({ code: -32001 })
  })

  test('a fork block that is not known is asked for', async () => {
    const chain = await createBorderChain()
    const { asked, call, forkHash } = chain
    const upstream = {
      block: { number: BigInt(FORK), hash: forkHash },
      async request(...request: readonly unknown[]) {
        asked.push(request.slice(0, 2))
        return FOREIGN
      },
    }
    setBorder(chain, upstream)
    expect(await call('eth_getBlockByNumber', quantity(FORK), false)).toEqual(FOREIGN)
    expect(asked).toEqual([['eth_getBlockByHash', [forkHash, false]]])
  })

  test('blocks above the newest do not exist, whatever the upstream has', async () => {
    const { asked, call } = await createBorderChain({ eth_getBlockByNumber: FOREIGN })
    for (const number of ['0x6', '0x7', '0xffffff']) {
      expect(await call('eth_getBlockByNumber', number, false)).toBeNull()
    }
    expect(asked).toEqual([])
  })

  test('args: the hash of an own block', async () => {
    const node = await createBorderChain()
    const block = await node.call<{ number: Hex }>('eth_getBlockByHash', hashOf(node, 4))
    expect(block.number).toBe('0x4')
    expect(node.asked).toEqual([])
  })

  test('args: a hash that only the upstream knows', async () => {
    const blocks: Record<Hex, Hex> = { [hashAt(1)]: '0x1', [hashAt(9)]: '0x9' }
    const { asked, call, failure } = await createBorderChain({
      eth_getBlockByHash: (hash: Hex) =>
        hash in blocks ? { ...FOREIGN, number: blocks[hash] } : null,
      eth_getBalance: '0x7',
      eth_getBlockTransactionCountByHash: '0x8',
    })
    expect(await call('eth_getBlockByHash', hashAt(1), true)).toEqual({ ...FOREIGN, number: '0x1' })
    expect(asked.splice(0)).toEqual([['eth_getBlockByHash', hashAt(1), true]])
    // Its number is remembered.
    expect(await call('eth_getBalance', ADDRESS, { blockHash: hashAt(1) })).toBe('0x7')
    expect(asked.splice(0)).toEqual([['eth_getBalance', ADDRESS, { blockHash: hashAt(1) }]])
    // Neither later blocks of the upstream nor unknown ones exist.
    for (const hash of [hashAt(9), hashAt(5)]) {
      expect(await call('eth_getBlockByHash', hash, false)).toBeNull()
      expect(await call('eth_getBlockTransactionCountByHash', hash)).toBeNull()
      expect(await failure('eth_getBalance', ADDRESS, hash)).toEqual({
        code: -32001,
        message: `block not found: ${hash}`,
      })
    }
    asked.splice(0)
    // That of pre-confirmed receipts.
    expect(await call('eth_getBlockByHash', ZERO_HASH, false)).toBeNull()
    expect(asked).toEqual([])
  })

  test('error: the upstream has dropped or replaced the fork block', async () => {
    const { call, failure } = await createBorderChain({
      eth_getBlockReceipts: null,
      eth_getTransactionByBlockHashAndIndex: null,
    })
    expect(await failure('eth_getBlockReceipts', quantity(FORK))).toEqual({
      code: -32001,
      message:
        'upstream no longer has the fork block 3, or has replaced it: reset to a newer block',
    })
    expect(await call('eth_getTransactionByBlockNumberAndIndex', quantity(FORK), '0x9')).toBeNull()
  })

  test('error: what the upstream answers', async () => {
    const error = new DevnetError(-32017, 'no state for you', { data: { block: '0x2' } })
    const { failure } = await createBorderChain({ eth_call: error, eth_getBlockByHash: error })
    const body = { code: -32017, message: 'no state for you', data: { block: '0x2' } }
    expect(await failure('eth_call', CALL, '0x2')).toEqual(body)
    expect(await failure('eth_getBlockByHash', hashAt(1), false)).toEqual(body)
    expect(await failure('eth_getBlockByNumber', '0x2', false)).toEqual({
      code: -32601,
      message: `the upstream does not know eth_getBlockByNumber, and blocks up to the fork block ${FORK} are its own: upstream does not know eth_getBlockByNumber`,
    })
  })

  test('parameters that only the upstream understands go along', async () => {
    const tracer = { tracer: '{ result: () => 1, fault: () => 2 }', tracerConfig: 'mine' }
    const { asked, call, failure } = await createBorderChain({
      debug_traceBlockByNumber: FOREIGN,
      debug_traceTransaction: FOREIGN,
      eth_getTransactionByHash: { blockNumber: '0x1' },
      eth_call: '0x2a',
    })
    expect(await call('debug_traceBlockByNumber', '0x1', tracer)).toEqual(FOREIGN)
    expect(await call('debug_traceTransaction', hashAt(1), tracer)).toEqual(FOREIGN)
    const celo = { ...CALL, type: '0x7b', feeCurrency: ADDRESS, gas: 'all' }
    expect(await call('eth_call', celo, '0x1', { [ADDRESS]: { isCelo: true } }, {}, 'more')).toBe(
      '0x2a',
    )
    expect(asked.splice(0)).toEqual([
      ['debug_traceBlockByNumber', '0x1', tracer],
      ['debug_traceTransaction', hashAt(1), tracer],
      ['eth_getTransactionByHash', hashAt(1)],
      ['eth_call', celo, '0x1', { [ADDRESS]: { isCelo: true } }, {}, 'more'],
    ])
    // For an own block they are refused as ever.
    expect(await failure('debug_traceBlockByNumber', '0x4', tracer)).toMatchObject({
      code: -32602,
    })
    expect(await failure('eth_call', celo, '0x4')).toMatchObject({ code: -32602 })
    expect(asked).toEqual([])
  })

  test('error: blocks and hashes that cannot be read are refused here', async () => {
    const { asked, failure } = await createBorderChain({ eth_getBalance: '0x7' })
    expect(await failure('eth_getBalance', ADDRESS, 'oldest')).toMatchObject({ code: -32602 })
    expect(await failure('eth_getBlockByHash', '0x12', true)).toEqual({
      code: -32602,
      message: 'invalid argument 0: hex string has length 2, want 64 for a hash',
    })
    expect(await failure('eth_getTransactionByHash')).toEqual({
      code: -32602,
      message: 'missing value for required argument 0',
    })
    expect(asked).toEqual([])
  })
})

describe('proofs', () => {
  test.for([
    ['eth_getProof', [ADDRESS, ['0x0']]],
    ['eth_getAccount', [ADDRESS]],
  ] as const)('default: %s', async ([method, before]) => {
    const { asked, call, failure, forkHash } = await createBorderChain({ [method]: FOREIGN })
    expect(await call(method, ...before, '0x2')).toEqual(FOREIGN)
    expect(await call(method, ...before, quantity(FORK))).toEqual(FOREIGN)
    expect(asked.splice(0)).toEqual([
      [method, ...before, '0x2'],
      [method, ...before, { blockHash: forkHash }],
    ])
    for (const block of ['0x4', 'latest', 'pending']) {
      expect(await failure(method, ...before, block)).toEqual({
        code: -32000,
        message: `${method} needs a state root that commits to the whole state, and blocks after the fork block 3 have none: this node knows only the part that was read. Ask for block 0x3 or an older one, which the upstream answers`,
      })
    }
    expect(await failure(method, ...before)).toMatchObject({ code: -32000 })
    expect(await failure(method, ...before, '0x63')).toEqual({
      code: -32001,
      message: 'block not found: 0x63',
    })
    expect(asked).toEqual([])
  })

  test('eth_capabilities tells that there are none', async () => {
    const { call } = await createBorderChain()
    expect(await call('eth_capabilities')).toMatchObject({
      head: { number: '0x5' },
      state: { disabled: false },
      stateproofs: { disabled: true },
    })
  })
})

describe('transactions', () => {
  const METHODS = [
    'debug_getRawTransaction',
    'debug_traceTransaction',
    'eth_getRawTransactionByHash',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
  ]

  test.for(METHODS)('default: %s', async (method) => {
    const { asked, call, chain, emit, tick } = await createBorderChain()
    const sealed = chain.history.byNumber(4)?.executed[0]?.transaction.hash
    expect(await call(method, sealed)).not.toBeNull()
    const preconfirmed = await emit(9)
    await tick()
    expect(await call(method, preconfirmed)).not.toBeNull()
    expect(asked).toEqual([])
  })

  test.for(METHODS)('%s of the upstream', async (method) => {
    const place = { ...FOREIGN, blockNumber: '0x3' }
    const shows = method === 'eth_getTransactionByHash' || method === 'eth_getTransactionReceipt'
    const answer = shows ? place : FOREIGN
    const { asked, call, answers, failure } = await createBorderChain({
      eth_getTransactionByHash: place,
      [method]: answer,
    })
    expect(await call(method, hashAt(1))).toEqual(answer)
    // Whether it is in a block up to the fork block, if the answer itself does not tell.
    const witness = ['eth_getTransactionByHash', hashAt(1)]
    expect(asked.splice(0)).toEqual([[method, hashAt(1)], ...(shows ? [] : [witness])])
    for (const elsewhere of [null, { blockNumber: null }, { blockNumber: '0x4' }]) {
      answers.eth_getTransactionByHash = elsewhere
      if (shows) answers[method] = elsewhere
      if (method === 'debug_traceTransaction') {
        expect(await failure(method, hashAt(1))).toEqual({
          code: -32000,
          message: 'transaction not found',
        })
      } else expect(await call(method, hashAt(1))).toBeNull()
    }
  })

  test('one that waits for its tick is this node’s', async () => {
    const { asked, call, emit } = await createBorderChain()
    const hash = await emit(9)
    expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ blockNumber: null })
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(asked).toEqual([])
  })

  test('eth_getTransactionBySenderAndNonce', async () => {
    // As on a forked chain, the blocks before are not in the history.
    const { account, answers, asked, call } = await createBorderChain({}, { keepBlocks: 2 })
    const { address } = account(0)
    const method = 'eth_getTransactionBySenderAndNonce'
    expect(await call(method, address, '0x4')).toMatchObject({ blockNumber: '0x5' })
    expect(await call(method, address, '0x5')).toBeNull()
    expect(asked).toEqual([])
    for (const [answer, shown] of [
      [
        { ...FOREIGN, blockNumber: '0x3' },
        { ...FOREIGN, blockNumber: '0x3' },
      ],
      [{ ...FOREIGN, blockNumber: '0x4' }, null],
      [null, null],
    ]) {
      answers[method] = answer
      expect(await call(method, address, 1)).toEqual(shown)
      expect(asked.splice(0)).toEqual([[method, address, '0x1']])
    }
  })

  test('debug_codeByHash', async () => {
    const { asked, call, context } = await createBorderChain({ debug_codeByHash: '0x60' })
    expect(await call('debug_codeByHash', hashAt(1))).toBe('0x60')
    expect(asked.splice(0)).toEqual([['debug_codeByHash', hashAt(1)]])
    const code = Uint8Array.of(0x5f, 0x5f, 0xf3)
    const { crypto, codes } = context.chain.engine
    codes.add(code)
    expect(await call('debug_codeByHash', toHex(crypto.keccak256(code)))).toBe('0x5f5ff3')
    expect(asked).toEqual([])
  })
})

describe('debug_traceBlock', () => {
  test('a block on an own one, or on the fork block, is traced here', async () => {
    const { asked, call, chain } = await createBorderChain()
    for (const number of [FORK + 1, FORK + 2]) {
      const block = chain.history.byNumber(number)
      if (block === undefined) throw new Error('No block')
      expect(await call('debug_traceBlock', toHex(encodeBlock(block)))).toHaveLength(1)
    }
    expect(asked).toEqual([])
  })

  test('any other is passed on', async () => {
    const { asked, call, chain } = await createBorderChain({ debug_traceBlock: FOREIGN })
    const { head } = chain
    const header = { ...head.header, parentHash: new Uint8Array(32).fill(7) }
    const rlp = toHex(encodeBlock({ ...head, header }))
    expect(await call('debug_traceBlock', rlp, { tracer: 'callTracer' })).toEqual(FOREIGN)
    expect(asked).toEqual([['debug_traceBlock', rlp, { tracer: 'callTracer' }]])
  })

  test('error: what is no block is refused here', async () => {
    const { asked, failure } = await createBorderChain({ debug_traceBlock: FOREIGN })
    expect(await failure('debug_traceBlock', '0xc0')).toMatchObject({ code: -32000 })
    expect(asked).toEqual([])
  })
})

test('a client that hangs up gives up its request', async () => {
  const { asked, callAs } = await createBorderChain({ eth_getBalance: '0x7' })
  await expect(
    callAs({ signal: AbortSignal.abort() }, 'eth_getBalance', ADDRESS, '0x1'),
  ).rejects.toThrow('given up')
  expect(asked).toEqual([])
})
