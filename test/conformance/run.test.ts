import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { conformanceData, describeConformance } from './conformance.ts'
import {
  type Exchange,
  judge,
  parseRecording,
  playRecordings,
  type RunOptions,
  recordingNames,
} from './run.ts'
import { difference, type Json, type JsonObject, shapeDifference } from './runDifference.ts'
import { violation } from './runSchema.ts'
import { headerHash } from './runSimulated.ts'

type Answer = (request: JsonObject, text: string) => Json | string | undefined

/** A node that answers over HTTP: text as it is, `undefined` with the end of the connection. */
async function startNode(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const given = answer(JSON.parse(body), body)
      if (given === undefined) request.socket.destroy()
      else response.end(typeof given === 'string' ? given : JSON.stringify(given))
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port')
  return `http://127.0.0.1:${address.port}`
}

/** A folder with recordings, given by the lines of each. */
function suiteOf(recordings: Readonly<Record<string, readonly string[]>>): string {
  const suite = mkdtempSync(join(tmpdir(), 'recordings-'))
  onTestFinished(() => rmSync(suite, { recursive: true }))
  for (const [name, lines] of Object.entries(recordings)) {
    const file = join(suite, `${name}.io`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, lines.join('\n'))
  }
  return suite
}

const request = (method: string, params: readonly Json[] = [], id = 1) =>
  `>> ${JSON.stringify({ jsonrpc: '2.0', id, method, params })}`
const response = (fields: JsonObject, id = 1) =>
  `<< ${JSON.stringify({ jsonrpc: '2.0', id, ...fields })}`

type Change = (response: JsonObject, request: JsonObject) => Json

/** Answers as the recordings of a suite say, but for a change. */
function recorded(suite: string, change: Change = (response) => response): Answer {
  const responses = new Map(
    recordingNames(suite).flatMap((name) =>
      parseRecording(readFileSync(join(suite, `${name}.io`), 'utf8')).exchanges.map(
        ({ text, response }) => [text, response] as const,
      ),
    ),
  )
  return (request, text) => {
    const response = responses.get(text)
    return response && change(response, request)
  }
}

async function play(suite: string, answer: Answer, options: RunOptions = {}) {
  return playRecordings(suite, await startNode(answer), options)
}

const small = () =>
  suiteOf({
    'a_number/plain': ['// a comment', request('a_number'), response({ result: '0x1' })],
    'a_number/refused': [
      request('a_number', ['bad']),
      response({ error: { code: -32602, message: 'invalid argument 0' } }),
    ],
    'b_data/reverts': [
      request('b_data'),
      response({ error: { code: 3, message: 'execution reverted: x', data: '0x08c3' } }),
    ],
  })

describe('a suite of recordings', () => {
  test('passes against a node that answers as recorded', async () => {
    const suite = small()
    expect(await play(suite, recorded(suite))).toEqual({ passed: 3, failed: [] })
  })

  test('fails with the place and both values', async () => {
    const suite = small()
    const wrong = recorded(suite, (response) =>
      response.result === undefined ? response : { ...response, result: '0x2' },
    )
    expect(await play(suite, wrong)).toEqual({
      passed: 2,
      failed: ['a_number/plain  $.result: expected "0x1", is "0x2"'],
    })
  })

  test.each<[title: string, change: (error: JsonObject) => JsonObject, failed: string[]]>([
    ['may have another message', (error) => ({ ...error, message: 'in other words' }), []],
    [
      'must have the code',
      (error) => ({ ...error, code: -32000 }),
      [
        'a_number/refused  $.error.code: expected -32602, is -32000',
        'b_data/reverts  $.error.code: expected 3, is -32000',
      ],
    ],
    [
      'must have the data',
      ({ data: _, ...error }) => error,
      ['b_data/reverts  $.error.data: missing'],
    ],
    [
      'must have a message',
      ({ message: _, ...error }) => error,
      ['a_number/refused  $.error.message: missing', 'b_data/reverts  $.error.message: missing'],
    ],
  ])('an error %s', async (_, change, failed) => {
    const suite = small()
    const node = recorded(suite, ({ error, ...response }) =>
      // The errors of these recordings are objects.
      error === undefined ? response : { ...response, error: change(error as JsonObject) },
    )
    expect((await play(suite, node)).failed).toEqual(failed)
  })

  test('a result is no error, and an error no result', async () => {
    const suite = small()
    const result = await play(suite, () => ({ jsonrpc: '2.0', id: 1, result: '0x1' }))
    expect(result.passed).toBe(1)
    const error = await play(suite, () => ({ jsonrpc: '2.0', id: 1, error: { code: 1 } }))
    expect(error.passed).toBe(0)
  })

  test('no JSON, no answer and no node are failures', async () => {
    const suite = small()
    const text = await play(suite, () => 'oops')
    expect(text.failed[0]).toMatch(/^a_number\/plain {2}request 1: .*JSON/)
    expect((await play(suite, () => undefined)).failed).toHaveLength(3)
    const nobody = await playRecordings(suite, 'http://127.0.0.1:1')
    expect(nobody.passed).toBe(0)
    expect(nobody.failed).toHaveLength(3)
  })

  test('requests of one recording are sent in order', async () => {
    const suite = suiteOf({
      'm/two': [
        request('m', [], 1),
        response({ result: '0x1' }, 1),
        request('m', ['x'], 2),
        response({ result: '0x2' }, 2),
      ],
    })
    expect((await play(suite, recorded(suite))).passed).toBe(1)
    const wrong = recorded(suite, (response, { id }) =>
      id === 2 ? { ...response, result: '0x3' } : response,
    )
    expect((await play(suite, wrong)).failed).toEqual([
      'm/two  $(request 2).result: expected "0x2", is "0x3"',
    ])
  })

  test('a file that is no recording is a failure', async () => {
    const suite = suiteOf({
      'm/a': ['rubbish'],
      'm/b': [response({ result: '0x1' })],
      'm/c': [request('m')],
      'm/d': ['// empty'],
      'm/e': ['>> 1', '<< 2'],
    })
    const { passed, failed } = await play(suite, () => ({}))
    expect(passed).toBe(0)
    expect(failed).toEqual([
      'm/a  request 0: expected a request, is rubbish',
      `m/b  request 0: expected a request, is ${response({ result: '0x1' })}`,
      'm/c  request 0: expected a response, is undefined',
      'm/d  request 0: no request',
      'm/e  request 0: expected an object, is 1',
    ])
  })

  test.each<[options: RunOptions, passed: number]>([
    [{ only: ['a_number'] }, 2],
    [{ only: ['a_number/plain', 'b_data'] }, 2],
    [{ only: ['a_num'] }, 0],
    [{ exclude: ['b_data'] }, 2],
    [{ only: ['a_number'], exclude: ['a_number/plain'] }, 1],
  ])('%j plays some of it', async (options, passed) => {
    const suite = small()
    expect(await play(suite, recorded(suite), options)).toEqual({ passed, failed: [] })
  })
})

describe('a recording that is an example', () => {
  const example: Json = { gas: '0x10', list: [{ n: 1 }], map: { '0x01': { v: 'a' } } }
  const suite = () =>
    suiteOf({ 'm/s': ['// speconly: any', request('m'), response({ result: example })] })

  test.each<[passes: boolean, result: Json]>([
    [true, { gas: '0xff', list: [], map: { '0x02': { v: 'b' } }, more: 1 }],
    [true, example],
    [false, { gas: 16, list: [], map: {} }],
    [false, { gas: 'ten', list: [], map: {} }],
    [false, { gas: '0x1', list: [{}], map: {} }],
    [false, { gas: '0x1', list: [], map: { '0x02': {} } }],
    [false, { gas: '0x1', list: [] }],
  ])('passes by its shape: %s, %j', async (passes, result) => {
    const { passed } = await play(suite(), () => ({ jsonrpc: '2.0', id: 1, result }))
    expect(passed).toBe(passes ? 1 : 0)
  })

  test('is no example of an error, nor of another id', async () => {
    const error = { code: 1, message: 'x' }
    expect((await play(suite(), () => ({ jsonrpc: '2.0', id: 1, error }))).passed).toBe(0)
    expect((await play(suite(), () => ({ jsonrpc: '2.0', id: 2, result: example }))).passed).toBe(0)
  })

  test('of an error wants one with the code', async () => {
    const refused = suiteOf({
      'm/e': ['// speconly: any', request('m'), response({ error: { code: 3, message: 'x' } })],
    })
    const answers = [{ result: '0x1' }, { error: { code: 3, message: 'y' } }]
    const outcomes = await Promise.all(
      answers.map((answer) => play(refused, () => ({ jsonrpc: '2.0', id: 1, ...answer }))),
    )
    expect(outcomes.map(({ passed }) => passed)).toEqual([0, 1])
  })

  test('is held against the schema of its method, if there is one', async () => {
    const schemed = suiteOf({
      'm/s': ['// speconly: any', request('m'), response({ result: '0x10' })],
    })
    const schemas = { m: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' } }
    writeFileSync(join(schemed, 'result-schemas.json'), JSON.stringify(schemas))
    const answer = (result: Json) => play(schemed, () => ({ jsonrpc: '2.0', id: 1, result }))
    expect((await answer('0x1')).passed).toBe(1)
    expect((await answer('0x01')).failed).toEqual([
      'm/s  $.result: does not match ^0x(0|[1-9a-f][0-9a-f]*)$: "0x01"',
    ])
  })
})

test('checkSchema holds a result that is as recorded against the schema too', async () => {
  const suite = suiteOf({ 'm/s': [request('m'), response({ result: '0x01' })] })
  writeFileSync(join(suite, 'result-schemas.json'), '{"m": {"maxLength": 3}}')
  expect((await play(suite, recorded(suite))).passed).toBe(1)
  expect((await play(suite, recorded(suite), { checkSchema: true })).failed).toEqual([
    'm/s  $.result.length: expected -Infinity to 3, is 4',
  ])
})

describe('differences', () => {
  test.each<[expected: Json, actual: Json, found: string | undefined]>([
    [{ a: 1 }, { a: 1 }, undefined],
    ['0xAb', '0xab', '$: expected "0xAb", is "0xab"'],
    [[1, [2]], [1, [3]], '$[1][0]: expected 2, is 3'],
    [[1], [1, 2], '$.length: expected 1, is 2'],
    [{ 'a-b': 1 }, { 'a-b': 2 }, '$["a-b"]: expected 1, is 2'],
    [{ a: { b: null } }, { a: {} }, '$.a.b: missing'],
    [{ constructor: 1 }, {}, '$.constructor: missing'],
    [{ a: 1 }, { a: 1, b: 2 }, '$.b: not expected, is 2'],
    [{ a: 1 }, { a: '1' }, '$.a: expected number, is string: "1"'],
    [null, {}, '$: expected null, is object: {}'],
    [{ error: 'x' }, { error: { code: 1 } }, '$.error: expected string, is object: {"code":1}'],
  ])('%j, %j', (expected, actual, found) => {
    const wrong = difference(expected, actual)
    expect(wrong && `${wrong.path}: ${wrong.problem}`).toBe(found)
  })

  test('of shapes: null stands for anything, an empty list for any', () => {
    expect(shapeDifference(null, 'anything')).toBeUndefined()
    expect(shapeDifference([], [1, '2'])).toBeUndefined()
    expect(shapeDifference([1, 'a'], ['b', 2, null])?.path).toBe('$[2]')
  })
})

describe('schemas', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'integer', minimum: 1 },
      b: { oneOf: [{ type: 'null' }, { type: 'string' }] },
    },
    patternProperties: { '^x': { type: 'boolean' } },
    additionalProperties: false,
  }

  test.each<[value: Json, path: string | undefined]>([
    [{ a: 1, b: null, x1: true }, undefined],
    [{}, '$.a'],
    [{ a: 0 }, '$.a'],
    [{ a: 1.5 }, '$.a'],
    [{ a: 1, b: 2 }, '$.b'],
    [{ a: 1, x1: 2 }, '$.x1'],
    [{ a: 1, c: 2 }, '$.c'],
    [[], '$'],
  ])('an object: %j', (value, path) => {
    expect(violation(schema, value)?.path).toBe(path)
  })

  test('alternatives, items and lengths', () => {
    expect(violation({ anyOf: [{ const: 1 }, { enum: [2, 3] }] }, 3)).toBeUndefined()
    expect(violation({ anyOf: [{ const: 1 }, { enum: [2, 3] }] }, 4)?.path).toBe('$')
    expect(violation({ oneOf: [{ type: 'number' }, { minimum: 0 }] }, 4)?.problem).toBe(
      'fits 2 of the alternatives, of which one is to fit',
    )
    const items = { items: { allOf: [{ type: 'number' }, { maximum: 3 }] } }
    expect(violation(items, [1, 4])?.path).toBe('$[1]')
    expect(violation({ minItems: 1 }, [])?.path).toBe('$.length')
    expect(violation({ type: ['null', 'string'] }, null)).toBeUndefined()
  })
})

const hashOf = (digit: string) => `0x${digit.repeat(64)}`
const ZERO = hashOf('0')

/** Two simulated blocks, the second with the hash of the first in its data. */
const twoBlocks = (first = 'a', second = 'b', root = hashOf('5')) => [
  {
    number: '0x1',
    hash: hashOf(first),
    parentHash: hashOf('9'),
    stateRoot: root,
    calls: [{ returnData: '0x', logs: [{ blockHash: hashOf(first), logIndex: '0x0' }] }],
  },
  {
    number: '0x2',
    hash: hashOf(second),
    parentHash: hashOf(first),
    stateRoot: root,
    calls: [{ returnData: `0x01${first.repeat(64)}02`, logs: [] }],
  },
]

describe('simulated blocks', () => {
  const exchange = (method: string, result: Json): Exchange => ({
    request: { method },
    text: '',
    response: { result },
  })
  const place = (answer: Json, method = 'eth_simulateV1') =>
    judge(exchange(method, twoBlocks()), { result: answer }, false, { schemas: {} })?.path

  test('may have no state root, and so another hash wherever it stands', () => {
    expect(place(twoBlocks())).toBeUndefined()
    expect(place(twoBlocks('c', 'd', ZERO))).toBeUndefined()
    expect(place(twoBlocks('c', 'd'))).toBeUndefined()
  })

  test.each<[place: string, from: string, to: string]>([
    ['$.result[0].stateRoot', ZERO, hashOf('6')],
    ['$.result[0].hash', `"hash":"${hashOf('c')}"`, `"hash":"${ZERO}"`],
    ['$.result[0].hash', `"hash":"${hashOf('c')}"`, '"hash":"0x12"'],
    ['$.result[1].hash', `"hash":"${hashOf('d')}"`, `"hash":"${hashOf('c')}"`],
    ['$.result[0].parentHash', hashOf('9'), hashOf('8')],
    ['$.result[1].parentHash', `"parentHash":"${hashOf('c')}"`, `"parentHash":"${hashOf('8')}"`],
    [
      '$.result[0].calls[0].logs[0].blockHash',
      `"blockHash":"${hashOf('c')}"`,
      `"blockHash":"${hashOf('8')}"`,
    ],
    ['$.result[1].calls[0].returnData', `01${'c'.repeat(64)}02`, `01${'a'.repeat(64)}02`],
    ['$.result[0].number', '"0x1"', '"0x7"'],
  ])('differ at %s', (path, from, to) => {
    const answer = JSON.stringify(twoBlocks('c', 'd', ZERO))
    expect(answer).toContain(from)
    expect(place(JSON.parse(answer.replace(from, to)))).toBe(path)
  })

  test('must be as many, with a root each', () => {
    const [one, other] = twoBlocks('c', 'd', ZERO)
    if (one === undefined || other === undefined) throw new Error('No blocks')
    expect(place([one])).toBe('$.result.length')
    const { stateRoot: _, ...rootless } = one
    expect(place([rootless, other])).toBe('$.result[0].stateRoot')
  })

  test('are those of one method', () => {
    expect(place(twoBlocks('a', 'b', ZERO), 'eth_getBlockByNumber')).toBe('$.result[0].stateRoot')
  })

  test('have errors of calls as everywhere', () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' }
    const found = (other: Json) =>
      judge(
        exchange('eth_simulateV1', [{ calls: [{ error }] }]),
        { result: [{ calls: [{ error: other }] }] },
        false,
        { schemas: {} },
      )?.path
    expect(found({ ...error, message: 'something else' })).toBeUndefined()
    expect(found({ ...error, code: -32015 })).toBe('$.result[0].calls[0].error.code')
    expect(found('execution reverted')).toBe('$.result[0].calls[0].error')
  })
})

describeConformance('the recordings of eth_simulateV1', () => {
  const suite = conformanceData.recordings
  const only = ['eth_simulateV1']

  /** A recorded answer as of a node without state roots. */
  function withoutRoots(
    response: JsonObject,
    rehash: (block: JsonObject) => string = headerHash,
  ): JsonObject {
    let text = JSON.stringify(response)
    const { result } = response
    for (let index = 0; Array.isArray(result) && index < result.length; index++) {
      const changed = JSON.parse(text)
      const block = changed.result[index]
      block.stateRoot = ZERO
      text = JSON.stringify(changed).replaceAll(block.hash.slice(2), rehash(block).slice(2))
    }
    return JSON.parse(text)
  }

  test('all recordings pass against themselves, with the hashes of their headers', async () => {
    const outcome = await play(suite, recorded(suite), { verifyHash: true, checkSchema: false })
    expect(outcome).toEqual({ passed: recordingNames(suite).length, failed: [] })
  })

  test('pass without state roots, and with made-up hashes unless these are checked', async () => {
    const honest = recorded(suite, (response) => withoutRoots(response))
    expect((await play(suite, honest, { only, verifyHash: true })).failed).toEqual([])
    let serial = 0
    const invented = () => `0x${(++serial).toString(16).padStart(64, 'f')}`
    const invents = recorded(suite, (response) => withoutRoots(response, invented))
    expect((await play(suite, invents, { only })).failed).toEqual([])
    expect((await play(suite, invents, { only, verifyHash: true })).failed).not.toEqual([])
  })

  test('notice every single change but of what is free', { timeout: 120_000 }, () => {
    const missed = new Set<string>()
    for (const name of recordingNames(suite).filter((one) => one.startsWith('eth_simulateV1/'))) {
      const text = readFileSync(join(suite, `${name}.io`), 'utf8')
      if (text.length >= 8_000) continue
      const [exchange] = parseRecording(text).exchanges
      if (exchange === undefined) throw new Error(`${name} is empty`)
      const answer = withoutRoots(exchange.response)
      for (const [path, changed] of singleChanges(answer)) {
        if (judge(exchange, changed, false, { schemas: {} }) === undefined) missed.add(path)
      }
    }
    // A hash that stands nowhere else can be any.
    expect([...missed].sort()).toEqual([
      'error.message',
      'result[].calls[].error.message',
      'result[].hash',
    ])
  })
})

/** A value with one of its leaves changed, each in turn, with the path of that leaf. */
function* singleChanges(value: Json): Generator<[path: string, changed: Json]> {
  if (typeof value !== 'object' || value === null) {
    const last = String(value).endsWith('1') ? '2' : '1'
    yield ['', typeof value === 'string' ? value.slice(0, -1) + last : value === 1 ? 2 : 1]
    return
  }
  // Neither forgets its form: a list stays one.
  const isList = Array.isArray(value)
  for (const [key, one] of Object.entries(value)) {
    for (const [path, changed] of singleChanges(one)) {
      const at = isList ? '[]' : key
      const whole = isList
        ? Object.values(value).with(Number(key), changed)
        : { ...value, [key]: changed }
      yield [path === '' || path.startsWith('[') ? at + path : `${at}.${path}`, whole]
    }
  }
}
