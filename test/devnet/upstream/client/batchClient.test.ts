import { describe, expect, test } from 'vitest'
import { LongBodyError } from '../../../../devnet/primitives/foreign.ts'
import { BatchClient } from '../../../../devnet/upstream/client/batchClient.ts'
import { Endpoint } from '../../../../devnet/upstream/client/endpoint.ts'
import type { HttpAnswer } from '../../../../devnet/upstream/client/httpTransport.ts'
import { FailureAnswer } from '../../../../devnet/upstream/client/question.ts'
import { VirtualUpstreamTime } from '../../../support/virtualUpstreamTime.ts'
import { type Asked, answered, type Server, transportTo } from './fakeTransport.ts'

function open(
  server: Server,
  options: { timeout?: number; batch?: number; concurrency?: number } = {},
) {
  const time = new VirtualUpstreamTime()
  const { transport, requests, mostInFlight } = transportTo(server, time)
  const client = new BatchClient(new Endpoint('http://upstream.test/v2/secret-key'), transport, {
    time,
    timeout: options.timeout ?? 45_000,
    batch: options.batch ?? 100,
    concurrency: options.concurrency ?? 8,
  })
  const ask = (value: unknown, signal?: AbortSignal, isAlone = false) =>
    client.ask({
      method: 'test_echo',
      params: [value],
      read: (result) => result,
      attemptsOn: () => 1,
      ...{ signal, isAlone },
    })
  const askMany = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => ask(n)))
  return { time, client, requests, mostInFlight, ask, askMany }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('what is asked in one turn goes out in batches of 100 items', async () => {
  const { time, requests, askMany } = open((items) => answered(items))
  expect(await time.until(askMany(250))).toEqual(numbers(250))
  expect(requests.map(({ items }) => items)).toEqual([100, 100, 50])
  expect(requests.map(({ at }) => at)).toEqual([0, 0, 0])
})

test('a batch has at most 512 KiB', async () => {
  const { time, requests, ask } = open((items) => answered(items))
  const long = 'x'.repeat(200_000)
  await time.until(Promise.all([ask(long), ask(long), ask(long)]))
  expect(requests.map(({ items }) => items)).toEqual([2, 1])
})

test('an item that is larger than a batch goes alone', async () => {
  const { time, requests, ask } = open((items) => answered(items))
  await time.until(Promise.all([ask('x'.repeat(600_000)), ask(1)]))
  expect(requests.map(({ items }) => items)).toEqual([1, 1])
})

test('what must go alone takes no others along, wherever it stands', async () => {
  const { time, requests, ask } = open((items) => answered(items))
  await time.until(Promise.all([ask(1), ask(2), ask(3, undefined, true), ask(4), ask(5)]))
  expect(requests.map(({ items }) => items)).toEqual([2, 1, 2])
})

test('four requests are in flight at first, and one more after each clean second', async () => {
  const { time, mostInFlight, askMany } = open((items) => answered(items), { batch: 1 })
  await time.until(askMany(40))
  expect(mostInFlight()).toBe(4)
  await time.until(askMany(800))
  expect(mostInFlight()).toBe(8)
})

test.each<[string, (items: readonly Asked[]) => Partial<HttpAnswer> | Error]>([
  ['HTTP 400', () => ({ status: 400 })],
  ['HTTP 403', () => ({ status: 403 })],
  ['HTTP 413', () => ({ status: 413 })],
  [
    'an error without an id',
    () => ({
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}',
    }),
  ],
  ['an answer that is no list', () => ({ body: '{"ok":true}' })],
  [
    'a closed connection',
    () => Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  ],
])('batches halve until they are taken when refused by %s', async (_, refuse) => {
  const { time, client, requests, askMany } = open((items) =>
    items.length > 30 ? refuse(items) : answered(items),
  )
  expect(await time.until(askMany(100))).toEqual(numbers(100))
  expect(requests.map(({ items }) => items)).toEqual([100, 50, 50, 25, 25, 25, 25])
  expect(client.sent.waiting).toBe(0)
})

test('an upstream without batches gets single requests, which are no lists', async () => {
  const { time, client, requests, askMany } = open((items) =>
    items.length > 1 ? { status: 400 } : answered(items),
  )
  expect(await time.until(askMany(9))).toEqual(numbers(9))
  expect(client.pace.learned).toBe(1)
  requests.length = 0
  await time.until(askMany(5))
  expect(requests.map(({ items }) => items)).toEqual([1, 1, 1, 1, 1])
})

test('a rate limit of items a second is found and kept', async () => {
  const PER_SECOND = 25
  let tokens = PER_SECOND
  let filled = 0
  const { time, askMany } = open((items, now) => {
    tokens = Math.min(PER_SECOND, tokens + ((now - filled) / 1000) * PER_SECOND)
    filled = now
    const list = items.map(({ id, params }) => {
      if (tokens < 1) return { id, error: { code: 429, message: 'compute units exceeded' } }
      tokens--
      return { id, result: params[0] }
    })
    return { body: JSON.stringify(items.length > 1 ? list : list[0]) }
  })
  expect(await time.until(askMany(1000))).toEqual(numbers(1000))
  expect(time.now()).toBeLessThan(1.2 * 40_000)
})

test('a rate limit that refuses whole requests is found and kept', async () => {
  const PER_SECOND = 25
  let tokens = PER_SECOND
  let filled = 0
  const { time, askMany } = open((items, now) => {
    tokens = Math.min(PER_SECOND, tokens + ((now - filled) / 1000) * PER_SECOND)
    filled = now
    if (tokens < items.length) return { status: 429, retryAfter: '1' }
    tokens -= items.length
    return answered(items)
  })
  expect(await time.until(askMany(1000))).toEqual(numbers(1000))
  expect(time.now()).toBeLessThan(1.2 * 40_000)
})

test.each([
  ['429', { status: 429, retryAfter: '7' }],
  ['503', { status: 503, retryAfter: '7' }],
])('Retry-After of HTTP %s is obeyed by all', async (_, refusal) => {
  let isFirst = true
  const { time, requests, ask } = open((items) => {
    if (!isFirst) return answered(items)
    isFirst = false
    return refusal
  })
  await time.until(ask(1))
  expect(requests[1]?.at).toBeGreaterThanOrEqual(7000)
  expect(requests).toHaveLength(2)
})

test.each([429, -32005, -32007, -32012, -32016])(
  'code %i in an answer slows all and is asked again',
  async (code) => {
    let refusals = 3
    const { time, requests, ask } = open((items) =>
      refusals-- > 0
        ? { body: JSON.stringify({ id: items[0]?.id, error: { code, message: 'slow down' } }) }
        : answered(items),
    )
    expect(await time.until(ask(1))).toBe(1)
    expect(requests.map(({ at }) => at)).toEqual([0, 300, 850, 1900])
  },
)

test('-32005 for a range that is too long is told', async () => {
  const { time, ask } = open((items) => ({
    body: JSON.stringify({
      id: items[0]?.id,
      error: { code: -32005, message: 'query returned more than 10000 results' },
    }),
  }))
  await expect(time.until(ask(1))).rejects.toThrow('more than 10000 results (-32005)')
})

test('an answer that is too long is halved, and not repeated once it is alone', async () => {
  let timesAlone = 0
  const { time, ask } = open((items) => {
    const isLong = items.some(({ params }) => params[0] === 'long')
    if (isLong && items.length === 1) timesAlone++
    if (isLong) throw new LongBodyError('too long')
    return answered(items)
  })
  const asked = [ask(1), ask(2), ask('long'), ask(4)]
  expect((await time.until(Promise.allSettled(asked))).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(timesAlone).toBe(1)
  await expect(asked[2]).rejects.toThrow('too long')
})

test('faults are repeated five times, with pauses that double', async () => {
  const { time, requests, ask } = open(() => ({ status: 502 }))
  await expect(time.until(ask(1))).rejects.toThrow('HTTP 502, 5 attempts in 4 s')
  expect(requests.map(({ at }) => at)).toEqual([0, 300, 850, 1900, 3950])
})

test('a rate limit without end is an error after the timeout', async () => {
  const { time, ask } = open(() => ({ status: 429 }))
  const asked = time.until(ask(1))
  await expect(asked).rejects.toThrow(/^HTTP 429, \d+ attempts in 45 s$/)
  await expect(asked).rejects.toMatchObject({ transient: true })
})

test('an upstream that hangs is asked again, and ends after the timeout', async () => {
  const { time, requests, ask } = open(() => 'hang')
  await expect(time.until(ask(1))).rejects.toThrow('no answer in 15 s, 3 attempts in 45 s')
  expect(requests).toHaveLength(3)
})

test('what finds no turn because others hang ends after the timeout too', async () => {
  const { time, askMany } = open(() => 'hang', { batch: 1, concurrency: 1 })
  const asked = Promise.allSettled([askMany(1), askMany(1)])
  const [first, second] = await time.until(asked)
  expect(first).toMatchObject({
    reason: {
      message: expect.stringMatching(/^no answer.* in 45 s$/),
      transient: true,
    },
  })
  expect(second).toMatchObject({
    reason: { message: expect.stringMatching(/^no answer.* in 45 s$/), transient: true },
  })
  expect(time.now()).toBe(45_000)
})

test('answers in another order, doubled, or with ids as text go to their items', async () => {
  const { time, askMany } = open((items) => {
    const list = items.map(({ id, params }) => ({ id: String(id), result: params[0] }))
    return { body: JSON.stringify([...list.toReversed(), ...list]) }
  })
  expect(await time.until(askMany(20))).toEqual(numbers(20))
})

test('missing answers, and those with wrong ids, are asked again alone', async () => {
  let isFirst = true
  const { time, requests, askMany } = open((items) => {
    if (!isFirst) return answered(items)
    isFirst = false
    const list = items.map(({ id, params }) => ({ id, result: params[0] }))
    return { body: JSON.stringify([{ id: 999, result: 'wrong' }, ...list.slice(2)]) }
  })
  expect(await time.until(askMany(10))).toEqual(numbers(10))
  expect(requests.map(({ items }) => items)).toEqual([10, 2])
})

test('two different answers to an item are none', async () => {
  const { time, ask } = open((items) => {
    const list = items.flatMap(({ id }) => [
      { id, result: 1 },
      { id, result: 2 },
    ])
    return { body: JSON.stringify(list) }
  })
  await expect(time.until(ask(1))).rejects.toThrow('two different answers, 5 attempts')
})

test('half of the JSON is asked again', async () => {
  let isFirst = true
  const { time, askMany } = open((items) => {
    const { body = '' } = answered(items)
    if (!isFirst) return { body }
    isFirst = false
    return { body: body.slice(0, body.length / 2) }
  })
  expect(await time.until(askMany(10))).toEqual(numbers(10))
})

test('HTTP 401 is not asked again', async () => {
  const { time, requests, ask } = open(() => ({ status: 401 }))
  const asked = time.until(ask(1))
  await expect(asked).rejects.toThrow('HTTP 401')
  await expect(asked).rejects.toMatchObject({ transient: false })
  expect(requests).toHaveLength(1)
})

test('errors with another HTTP status than 200 are told', async () => {
  const { time, ask } = open((items) => ({
    status: 500,
    body: JSON.stringify({ id: items[0]?.id, error: { code: 3, message: 'execution reverted' } }),
  }))
  await expect(time.until(ask(1))).rejects.toThrow('execution reverted (3)')
})

test('one item that fails does not hold up the others of its batch', async () => {
  const { time, ask } = open((items) => ({
    body: JSON.stringify(
      items.map(({ id, params }) =>
        params[0] === 'bad'
          ? { id, error: { code: -32000, message: 'no' } }
          : { id, result: params[0] },
      ),
    ),
  }))
  const bad = expect(ask('bad')).rejects.toThrow('no (-32000)')
  expect(await time.until(ask('good'))).toBe('good')
  await bad
})

test('an item that is given up ends at once, and its request with it', async () => {
  const { time, client, ask } = open(() => 'hang')
  const controller = new AbortController()
  const asked = ask(1, controller.signal)
  await new Promise(setImmediate)
  controller.abort(new Error('the client has left'))
  await expect(time.until(asked)).rejects.toThrow('the client has left')
  expect(time.now()).toBe(0)
  expect(client.sent.waiting).toBe(0)
})

test('close() ends what waits at once, in the queue, in flight and before a repetition', async () => {
  const { time, client, ask } = open(
    (items) => (items[0]?.params[0] === 'fault' ? { status: 500 } : 'hang'),
    { batch: 1, concurrency: 2 },
  )
  const all = Promise.allSettled([ask('fault'), ask('hanging'), ask('hanging'), ask('queued')])
  await new Promise(setImmediate)
  await client.close()
  const ended = await all
  expect(ended.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(
    Array.from({ length: 4 }, () => 'The node was stopped'),
  )
  expect(client.sent.waiting).toBe(0)
  await expect(ask(1)).rejects.toThrow('The node was stopped')
  expect(time.now()).toBe(0)
})

test('secrets of the URL are in no error of the upstream', async () => {
  const { time, ask } = open((items) => ({
    body: JSON.stringify({
      id: items[0]?.id,
      error: {
        code: -32000,
        message: 'project secret-key is unknown at http://upstream.test/v2/secret-key',
        data: { see: ['/v2/secret-key'] },
      },
    }),
  }))
  await expect(time.until(ask(1))).rejects.toMatchObject({
    failure: { message: 'project *** is unknown at ***', data: { see: ['/v2/***'] } },
  })
})

/** An error of an upstream whose data nests so deep, with its key at the bottom. */
function deepError(depth: number): Server {
  const data = `${'[{"secret-key":'.repeat(depth / 2)}"secret-key"${'}]'.repeat(depth / 2)}`
  return ([item]) => ({
    body: `{"id":${item?.id},"error":{"code":3,"message":"execution reverted","data":${data}}}`,
  })
}

test('error: an error whose data nests 3,000 deep', async () => {
  for (const depth of [1_000, 3_000, 9_000, 100_000]) {
    const { time, client, ask } = open(deepError(depth))
    await expect(time.until(ask(1))).rejects.toMatchObject({
      transient: true,
      message: expect.stringMatching(/^an answer whose lists .* nested more than 1000 deep, 5 att/),
    })
    expect(client.sent.waiting).toBe(0)
  }
})

test('an error nested as deep as is allowed comes without secrets', async () => {
  const { time, ask } = open(deepError(998))
  const error: unknown = await time.until(ask(1)).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FailureAnswer)
  const { failure } = error as FailureAnswer // As was just expected.
  const text = JSON.stringify(failure.data)
  expect(text).not.toContain('secret-key')
  expect(text.match(/\*{3}/g)).toHaveLength(500)
})

test('error: a reader that throws outside of its place ends its questions, not the process', async () => {
  const { time, client } = open((items) => answered(items))
  const onTime = () => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  const asked = client.ask({
    ...{ method: 'test_echo', params: [1], onTime },
    read: (result) => result,
    attemptsOn: () => 1,
  })
  await expect(time.until(asked)).rejects.toThrow(
    'an answer that cannot be taken: Maximum call stack size exceeded, 1 attempt in 0.1 s',
  )
  expect(client.sent.waiting).toBe(0)
})

describe('Retry-After', () => {
  const DAY = new Date(Date.now() + 86_400_000).toUTCString()
  const LONG = ['86400', '9'.repeat(310), '21', DAY]

  test.each(LONG)('of a pause as long as %s, at most 20 s are kept', async (retryAfter) => {
    let isFirst = true
    const { time, requests, askMany } = open((items) => {
      if (!isFirst) return answered(items)
      isFirst = false
      return { status: 429, retryAfter }
    })
    await time.until(askMany(10))
    // One item finds out whether the upstream is well; then the others go out together.
    expect(requests.map(({ items }) => items)).toEqual([10, 1, 5, 4])
    expect(requests[1]?.at).toBe(20_050)
    expect(requests[2]?.at).toBe(20_100)
  })

  test('while it lasts, reads fail with the reason, and one item goes out each time', async () => {
    let isWell = false
    const { time, requests, ask, askMany } = open((items) =>
      isWell ? answered(items) : { status: 429, retryAfter: '86400' },
    )
    await expect(time.until(askMany(8))).rejects.toMatchObject({
      transient: true,
      message: expect.stringMatching(/^HTTP 429, \d attempts in 45 s$/),
    })
    expect(requests.map(({ items }) => items)).toEqual([8, 1, 1])
    isWell = true
    const asked = time.now()
    expect(await time.until(ask(1))).toBe(1)
    expect(time.now() - asked).toBeLessThan(20_200)
  })

  const NONE = ['0', '-5', '', 'soon', 'in 2099', '1e400', '0x10', 'Sun, 06 Nov 1994 08:49:37 GMT']
  test.each([...NONE, 'Infinity', 'Mon, nonsense'])(
    '"%s" names no pause, and is no reason to ask at once',
    async (retryAfter) => {
      let left = 4
      const { time, requests, ask } = open((items) =>
        left-- > 0 ? { status: 503, retryAfter } : answered(items),
      )
      await time.until(ask(1))
      expect(requests.map(({ at }) => at)).toEqual([0, 300, 850, 1900, 3950])
    },
  )

  test('a date is as good as seconds', async () => {
    let isFirst = true
    const { time, requests, ask } = open((items) => {
      if (!isFirst) return answered(items)
      isFirst = false
      return { status: 429, retryAfter: new Date(Date.now() + 9_000).toUTCString() }
    })
    await time.until(ask(1))
    expect(requests[1]?.at).toBeGreaterThan(6_500)
    expect(requests[1]?.at).toBeLessThan(9_100)
  })
})

test('the words of an error are cut, and cannot control a terminal', async () => {
  const message = `\u001b[2J\u202e${'method '.repeat(50_000)}`
  const { time, ask } = open(([item]) => ({
    body: JSON.stringify({ id: item?.id, error: { code: 1e308, message } }),
  }))
  const error: unknown = await time.until(ask(1)).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ failure: { code: 0 } })
  const { failure } = error as FailureAnswer // It has what was just expected.
  expect(failure.message).toHaveLength(2_001)
  expect(failure.message).toMatch(/^\\x1b\[2J\\u202emethod /)
})

test.each<[string, unknown]>([
  ['text', ['x'.repeat(1 << 20)]],
  ['a list', { list: Array.from({ length: 2 << 20 }, () => 0) }],
  ['fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field ${n}`, 'x']))],
  ['lists', Array.from({ length: 1_000 }, () => Array.from({ length: 1_100 }, () => null))],
])('data of an error that are too large are left out: %s', (_, data) => {
  const endpoint = new Endpoint('http://upstream.test/v2/secret-key')
  expect(endpoint.maskJson(data)).toBeUndefined()
  expect(endpoint.maskJson({ ['__proto__']: ['a secret-key', 1, null] })).toEqual({
    ['__proto__']: ['a ***', 1, null],
  })
})

test('error: more answers than requests', async () => {
  const { time, ask } = open(([item]) => ({
    body: JSON.stringify(Array.from({ length: 2_000 }, () => ({ id: item?.id, result: 1 }))),
  }))
  await expect(time.until(ask(1))).rejects.toThrow('more answers than requests, 5 attempts')
})
