import { describe, expect, test, vi } from 'vitest'
import { params } from '../../../devnet/json/params.ts'
import { ProviderError } from '../../../devnet/primitives/providerError.ts'
import { text } from '../../../devnet/primitives/reader.ts'
import { createDispatch } from '../../../devnet/rpc/dispatch.ts'
import { defineMethod } from '../../../devnet/rpc/method.ts'
import { RequestCaller, requestGivenUp } from '../../../devnet/server/requestCaller.ts'
import { CALLER, createGate, fakeNode, NO_CONTEXT, tableOf } from './fakeMethods.ts'

function request(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

const PAGE = { ...CALLER, origin: 'http://localhost:3000' }

describe('handleText', () => {
  test('a loaded method that answers at once is answered without a promise', async () => {
    const { dispatch } = fakeNode()
    expect(dispatch.handleText(request('eth_chainId'), CALLER)).toBeInstanceOf(Promise)
    await dispatch.handleText(request('eth_chainId'), CALLER)
    expect(dispatch.handleText(request('eth_chainId'), CALLER)).toBe(
      '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}',
    )
    expect(dispatch.handleText(`[${request('eth_chainId')}]`, CALLER)).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":"0x7a69"}]',
    )
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '1.50',
    '9e20',
    '9007199254740991',
    '0',
  ])('the id %s is answered unchanged', async (id) => {
    const { dispatch } = fakeNode()
    const ask = (body: string) => dispatch.handleText(body, CALLER)
    const rest = '"jsonrpc":"2.0","method":"eth_chainId"'
    const answer = `{"jsonrpc":"2.0","id":${id},"result":"0x7a69"}`
    expect(await ask(`{"id":${id},${rest}}`)).toBe(answer)
    expect(await ask(`{ "\\u0069d" : ${id} ,${rest}}`)).toBe(answer)
    // Not the id of something else, nor one that a later one replaces.
    const decoys = String.raw`"x":{"id":9007199254740995},"y":["id",9007199254740995],"\"id\\":"\\"`
    expect(await ask(`{${decoys},"id":9007199254740997,"id":${id},${decoys},${rest}}`)).toBe(answer)
    const invalid = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: want an object"}}`
    expect(
      await ask(`["[{,",{${rest},"id":${id}},[{"id":9007199254740995},1],{"id":7,${rest}}]`),
    ).toBe(`[${invalid},${answer},${invalid},{"jsonrpc":"2.0","id":7,"result":"0x7a69"}]`)
  })

  test('an id beyond all numbers is refused', async () => {
    const { dispatch } = fakeNode()
    expect(
      await dispatch.handleText('{"jsonrpc":"2.0","id":1e999,"method":"eth_chainId"}', CALLER),
    ).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: id must be a string, a number or null"}}',
    )
  })

  test('the requests of a batch run side by side and are answered in order', async () => {
    const { dispatch, started, gate } = fakeNode()
    const batch = [request('test_later', 'a'), request('test_log', 'b'), request('test_later', 'c')]
    const answer = dispatch.handleText(`[${batch}]`, CALLER)
    await dispatch.handleText(request('eth_blockNumber'), CALLER)
    // In their order, after whatever loads meanwhile.
    await vi.waitFor(() => expect(started).toEqual(['a', 'b', 'c']))
    gate.open()
    expect(JSON.parse(String(await answer))).toMatchObject([
      { result: 'a' },
      { result: 'b' },
      { result: 'c' },
    ])
  })

  test('a batch that takes long lets others run between its requests', async () => {
    const order: string[] = []
    const busy = defineMethod({
      params: params(text()),
      handle(_context, [entry]) {
        // Longer than requests may run without a pause.
        for (const start = performance.now(); performance.now() - start < 6; );
        order.push(entry)
        return entry
      },
    })
    const dispatch = createDispatch({
      context: NO_CONTEXT,
      methods: tableOf({ busy }),
      maxBatch: 10,
    })
    await dispatch.handleText(request('busy', 'first'), CALLER)
    const batch = ['a', 'b', 'c'].map((entry) => request('busy', entry))
    const answer = dispatch.handleText(`[${batch}]`, CALLER)
    setImmediate(() => order.push('other'))
    expect(JSON.parse(String(await answer))).toMatchObject([
      { result: 'a' },
      { result: 'b' },
      { result: 'c' },
    ])
    expect(order.filter((entry) => entry !== 'other')).toEqual(['first', 'a', 'b', 'c'])
    expect(order.indexOf('other')).toBeLessThan(order.indexOf('c'))
  })

  test.each([
    ['at once', () => 'done'],
    ['later', async () => 'done'],
  ])(
    'a batch whose client goes in a command answered %s begins nothing more',
    async (_, result) => {
      const caller = new RequestCaller(undefined)
      const started: string[] = []
      const command = defineMethod({
        browser: false,
        params: params(text()),
        handle(_context, [entry]) {
          started.push(entry)
          if (entry === 'b') caller.giveUp(requestGivenUp('the client hung up'))
          return result()
        },
      })
      const dispatch = createDispatch({
        context: NO_CONTEXT,
        methods: tableOf({ command }),
        maxBatch: 10,
      })
      await dispatch.load(['command'])
      const batch = ['a', 'b', 'c', 'd'].map((entry) => request('command', entry))
      await dispatch.handleText(`[${batch}]`, caller)
      expect(started).toEqual(['a', 'b'])
    },
  )

  test('a batch starts in order, also when one of its methods must be loaded first', async () => {
    const loading = createGate()
    const started: string[] = []
    const log = (name: string) => defineMethod({ handle: () => started.push(name) })
    const dispatch = createDispatch({
      context: NO_CONTEXT,
      methods: {
        ...tableOf({ quick: log('quick') }),
        async slow() {
          await loading.opened
          return { default: log('slow') }
        },
      },
      maxBatch: 10,
    })
    await dispatch.handleText(request('quick'), CALLER)
    const answer = dispatch.handleText(`[${[request('slow'), request('quick')]}]`, CALLER)
    loading.open()
    await answer
    expect(started).toEqual(['quick', 'slow', 'quick'])
  })

  test('defects are reported once, refusals never', async () => {
    const { dispatch, defects } = fakeNode()
    for (const method of ['test_refuse', 'test_refuseLater', 'eth_foo', 'test_bigint']) {
      await dispatch.handleText(request(method), CALLER)
    }
    expect(defects).toEqual([new TypeError('Do not know how to serialize a BigInt')])
  })

  test('a defect in a notification is reported too', async () => {
    const { dispatch, defects } = fakeNode()
    expect(
      await dispatch.handleText('{"jsonrpc":"2.0","method":"test_defect"}', CALLER),
    ).toBeUndefined()
    expect(defects).toEqual([new RangeError('Invalid string length')])
  })

  test('a method is loaded once', async () => {
    let loads = 0
    const dispatch = createDispatch({
      context: NO_CONTEXT,
      methods: {
        async counted() {
          loads++
          return { default: defineMethod({ handle: () => loads }) }
        },
      },
      maxBatch: 10,
    })
    const answers = [1, 2, 3].map(() => dispatch.handleText(request('counted'), CALLER))
    await Promise.all(answers)
    await dispatch.handleText(`[${request('counted')}]`, CALLER)
    expect(loads).toBe(1)
  })

  test('a method that cannot be loaded is a defect, and is tried again', async () => {
    const defects: unknown[] = []
    let isBroken = true
    const dispatch = createDispatch({
      context: NO_CONTEXT,
      methods: {
        async shaky() {
          if (isBroken) throw new Error('disk on fire')
          return { default: defineMethod({ handle: () => 'fine' }) }
        },
      },
      maxBatch: 10,
      onInternalError: (error, method) => defects.push([String(error), method]),
    })
    expect(JSON.parse(String(await dispatch.handleText(`[${request('shaky')}]`, CALLER)))).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'internal error: disk on fire' } },
    ])
    expect(defects.at(-1)).toEqual(['Error: disk on fire', 'shaky'])
    isBroken = false
    expect(await dispatch.handleText(request('shaky'), CALLER)).toContain('"fine"')
  })

  test('web pages may not call control methods', async () => {
    const { dispatch } = fakeNode()
    expect(JSON.parse(String(await dispatch.handleText(request('evm_mine'), PAGE)))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32000,
        message:
          'evm_mine is a control method; web pages may not call it, so call it from a script or a terminal',
      },
    })
    expect(await dispatch.handleText(request('evm_mine'), CALLER)).toContain('"result":"0x0"')
    expect(await dispatch.handleText(request('eth_chainId'), PAGE)).toContain('"result"')
  })

  test('a request that was given up is no defect', async () => {
    const defects: unknown[] = []
    const controller = new AbortController()
    const dispatch = createDispatch({
      context: NO_CONTEXT,
      methods: tableOf({
        aborted: defineMethod({
          handle() {
            controller.abort()
            throw controller.signal.reason
          },
        }),
      }),
      maxBatch: 10,
      onInternalError: (error) => defects.push(error),
    })
    const caller = { ...CALLER, signal: controller.signal }
    expect(JSON.parse(String(await dispatch.handleText(request('aborted'), caller)))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32000, message: 'the request was given up' },
    })
    expect(defects).toEqual([])
  })
})

describe('request', () => {
  test('default', async () => {
    const { dispatch } = fakeNode()
    expect(await dispatch.request({ method: 'eth_chainId' }, CALLER)).toBe('0x7a69')
    expect(await dispatch.request({ method: 'test_log', params: ['x'] }, CALLER)).toBe('x')
    expect(await dispatch.request({ method: 'test_undefined' }, CALLER)).toBeNull()
  })

  test('changing a result changes nothing', async () => {
    const { dispatch } = fakeNode()
    const result = await dispatch.request({ method: 'test_object' }, CALLER)
    expect(result).toStrictEqual({ list: ['0x1'] })
    Object.assign(result as object, { list: [] })
    expect(await dispatch.request({ method: 'test_object' }, CALLER)).toStrictEqual({
      list: ['0x1'],
    })
  })

  test.each([
    [{ method: 'test_refuse' }, 3, 'execution reverted: no', '0x08c379a0'],
    [{ method: 'test_refuseLater' }, -32602, 'refused later', undefined],
    [
      { method: 'eth_foo' },
      -32601,
      'the method eth_foo does not exist/is not available',
      undefined,
    ],
    [{ method: 'eth_chainId', params: {} }, -32602, 'non-array args', undefined],
    [{ method: 'test_defect' }, -32603, 'internal error: Invalid string length', undefined],
    [
      { method: 'test_bigint' },
      -32603,
      'internal error: Do not know how to serialize a BigInt',
      undefined,
    ],
    [
      { method: 'eth_getBalance', params: [1n] },
      -32602,
      'invalid argument 0: want an address, got a bigint',
      undefined,
    ],
  ])('rejects %o', async (args, code, message, data) => {
    const { dispatch } = fakeNode()
    const error: unknown = await dispatch.request(args, CALLER).catch((reason) => reason)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ name: 'ProviderError', code, message, data })
  })

  test.each([[undefined], [null], [{}], [{ method: 1 }], ['eth_chainId']])(
    'rejects %o, which is no request',
    async (args) => {
      const { dispatch } = fakeNode()
      // As JavaScript without types may call it.
      await expect(dispatch.request(args as never, CALLER)).rejects.toMatchObject({
        code: -32600,
        message: 'invalid request: want a method',
      })
    },
  )
})
