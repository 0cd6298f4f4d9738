import { expect } from 'vitest'

/** What a client sends, and what it gets: `undefined` for no answer at all. */
export interface JsonRpcCase {
  readonly title: string
  readonly body: string
  readonly answer: unknown
}

function request(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', ...fields })
}

function result(id: unknown, value: unknown): object {
  return { jsonrpc: '2.0', id, result: value }
}

function failure(id: unknown, code: number, message: unknown, data?: unknown): object {
  const error = data === undefined ? { code, message } : { code, message, data }
  return { jsonrpc: '2.0', id, error }
}

/** The rest of the message is the JSON parser's. */
const PARSE_ERROR: unknown = expect.stringMatching(/^parse error: /)
const NOT_A_REQUEST = 'invalid request: want jsonrpc "2.0" and a method'
const BAD_ID = 'invalid request: id must be a string, a number or null'
const TOO_MANY = failure(
  null,
  -32005,
  'too many values in lists and objects: a request may have 12500, and a batch 12500',
)
const chainId = { method: 'eth_chainId' }

/** JSON-RPC 2.0, clause by clause, over the methods of `fakeNode()`. */
export const jsonRpcCases: readonly JsonRpcCase[] = [
  {
    title: 'a request',
    body: request({ id: 1, ...chainId, params: [] }),
    answer: result(1, '0x7a69'),
  },
  { title: 'no params', body: request({ id: 1, ...chainId }), answer: result(1, '0x7a69') },
  {
    title: 'null params',
    body: request({ id: 1, ...chainId, params: null }),
    answer: result(1, '0x7a69'),
  },
  {
    title: 'an answer that takes a while',
    body: request({ id: 1, method: 'eth_blockNumber' }),
    answer: result(1, '0x10'),
  },
  {
    title: 'parameters',
    body: request({ id: 1, method: 'eth_getBalance', params: [`0x${'0'.repeat(39)}1`, 'pending'] }),
    answer: result(1, '0x2'),
  },
  {
    title: 'fields that nobody knows',
    body: request({ id: 1, ...chainId, x: {} }),
    answer: result(1, '0x7a69'),
  },
  {
    title: 'lists as deep as is allowed',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":${'['.repeat(999)}${']'.repeat(999)}}`,
    answer: result(1, '0x7a69'),
  },
  {
    title: 'lists too deep',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
    answer: failure(null, -32700, 'parse error: lists and objects are nested more than 1000 deep'),
  },
  {
    title: 'brackets in a string',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":"\\"${'[{'.repeat(10_000)}"}`,
    answer: result(1, '0x7a69'),
  },
  {
    title: 'many lists side by side',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":[${'[{}],'.repeat(10_000)}0]}`,
    answer: result(1, '0x7a69'),
  },
  {
    title: 'as many values as a request may have',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":[${'"0x0",'.repeat(12_490)}0]}`,
    answer: result(1, '0x7a69'),
  },
  {
    title: 'as many calls as a simulation may have',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":[${'{"from":"0x","to":"0x","data":"0x"},'.repeat(10_000)}0]}`,
    answer: result(1, '0x7a69'),
  },
  ...[
    ['numbers', `[${'0,'.repeat(42_000)}0]`],
    ['hashes', `["0x0"${',\n "0x0"'.repeat(12_500)}]`],
    ['slots', `{${Array.from({ length: 12_502 }, (_, index) => `"0x${index}":0`)}}`],
    ['fields', `{${Array.from({ length: 42_000 }, (_, index) => `"${index}":0`)},"x":0}`],
    ['lists inside each other', `[${'[[[[[[[[[[[[0]]]]]]]]]]]],'.repeat(10_000)}0]`],
  ].flatMap(([what, x]) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":${x}}`
    return [
      { title: `too many ${what}`, body, answer: TOO_MANY },
      { title: `too many ${what} in a request of a batch`, body: `[${body}]`, answer: TOO_MANY },
    ]
  }),
  {
    title: 'values in a string',
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":"\\"${'0,'.repeat(20_000)}"}`,
    answer: result(1, '0x7a69'),
  },
  {
    title: 'white space around',
    body: ` \n${request({ id: 1, ...chainId })}\t`,
    answer: result(1, '0x7a69'),
  },
  ...['a', '', '"\\\u2028', 0, -1, 1.5, 1e21, null].map((id) => ({
    title: `id ${JSON.stringify(id)}`,
    body: request({ id, ...chainId }),
    answer: result(id, '0x7a69'),
  })),
  ...[true, {}, [1]].map((id) => ({
    title: `id ${JSON.stringify(id)}`,
    body: request({ id, ...chainId }),
    answer: failure(null, -32600, BAD_ID),
  })),
  {
    title: 'an infinite id',
    body: '{"jsonrpc":"2.0","id":1e400,"method":"eth_chainId"}',
    answer: failure(null, -32600, BAD_ID),
  },
  { title: 'a notification', body: request(chainId), answer: undefined },
  {
    title: 'a notification that fails',
    body: request({ method: 'test_refuse' }),
    answer: undefined,
  },
  {
    title: 'a notification that fails later',
    body: request({ method: 'test_refuseLater' }),
    answer: undefined,
  },
  { title: 'a notification to nobody', body: request({ method: 'eth_foo' }), answer: undefined },
  { title: 'no JSON', body: '{"jsonrpc":', answer: failure(null, -32700, PARSE_ERROR) },
  { title: 'no text', body: '', answer: failure(null, -32700, PARSE_ERROR) },
  ...['1', '"x"', 'null', 'true'].map((body) => ({
    title: `the value ${body}`,
    body,
    answer: failure(null, -32600, 'invalid request: want an object'),
  })),
  { title: 'an empty object', body: '{}', answer: failure(null, -32600, NOT_A_REQUEST) },
  {
    title: 'no version',
    body: '{"id":1,"method":"eth_chainId"}',
    answer: failure(1, -32600, NOT_A_REQUEST),
  },
  {
    title: 'another version',
    body: request({ jsonrpc: '1.0', id: 'x', ...chainId }),
    answer: failure('x', -32600, NOT_A_REQUEST),
  },
  { title: 'no method', body: request({ id: 1 }), answer: failure(1, -32600, NOT_A_REQUEST) },
  {
    title: 'a numeric method',
    body: request({ id: 1, method: 1 }),
    answer: failure(1, -32600, NOT_A_REQUEST),
  },
  {
    title: 'an answer',
    body: request({ id: 1, result: '0x1' }),
    answer: failure(1, -32600, NOT_A_REQUEST),
  },
  {
    title: 'a depth of 999',
    body: request({ id: 1, ...chainId, params: [] }).replace(
      '[]',
      '['.repeat(999) + ']'.repeat(999),
    ),
    answer: failure(1, -32602, 'too many arguments, want at most 0'),
  },
  ...['eth_foo', '', '__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((method) => ({
    title: `method "${method}"`,
    body: request({ id: 1, method }),
    answer: failure(1, -32601, `the method ${method} does not exist/is not available`),
  })),
  {
    title: 'a long method',
    body: request({ id: 1, method: 'x'.repeat(1000) }),
    answer: failure(1, -32601, `the method ${'x'.repeat(100)}… does not exist/is not available`),
  },
  {
    title: 'a wallet method',
    body: request({ id: 1, method: 'wallet_addEthereumChain', params: [{}] }),
    answer: failure(
      1,
      -32601,
      'wallet_addEthereumChain is answered by a wallet, not by a node endpoint',
    ),
  },
  ...[{}, 'x', 1, false].map((params) => ({
    title: `params ${JSON.stringify(params)}`,
    body: request({ id: 1, ...chainId, params }),
    answer: failure(1, -32602, 'non-array args'),
  })),
  {
    title: 'too many parameters for a method without any',
    body: request({ id: 1, ...chainId, params: [null] }),
    answer: failure(1, -32602, 'too many arguments, want at most 0'),
  },
  {
    title: 'a missing parameter',
    body: request({ id: 1, method: 'eth_getBalance' }),
    answer: failure(1, -32602, 'missing value for required argument 0'),
  },
  {
    title: 'a malformed parameter',
    body: request({ id: 1, method: 'eth_getBalance', params: ['0x12'] }),
    answer: failure(
      1,
      -32602,
      'invalid argument 0: hex string has length 2, want 40 for an address',
    ),
  },
  {
    title: 'an infinite number',
    body: '{"jsonrpc":"2.0","id":1,"method":"test_text","params":[1e400]}',
    answer: failure(
      1,
      -32602,
      'invalid argument 0: want an integer from 0 to 9007199254740991, got Infinity',
    ),
  },
  {
    title: 'a refusal with data',
    body: request({ id: 1, method: 'test_refuse' }),
    answer: failure(1, 3, 'execution reverted: no', '0x08c379a0'),
  },
  {
    title: 'a refusal that takes a while',
    body: request({ id: 1, method: 'test_refuseLater' }),
    answer: failure(1, -32602, 'refused later'),
  },
  {
    title: 'a defect',
    body: request({ id: 1, method: 'test_defect' }),
    answer: failure(1, -32603, 'internal error: Invalid string length'),
  },
  ...['test_bigint', 'test_bigintLater', 'test_bigintData'].map((method) => ({
    title: `a stray bigint in ${method}`,
    body: request({ id: 1, method }),
    answer: failure(1, -32603, 'internal error: Do not know how to serialize a BigInt'),
  })),
  {
    title: 'a result that is too deep',
    body: request({ id: 1, method: 'test_deep' }),
    answer: failure(1, -32603, 'internal error: Maximum call stack size exceeded'),
  },
  {
    title: 'no result',
    body: request({ id: 1, method: 'test_undefined' }),
    answer: result(1, null),
  },
  {
    title: 'an undefined field',
    body: request({ id: 1, method: 'test_object' }),
    answer: result(1, { list: ['0x1'] }),
  },
  {
    title: 'a batch',
    body: `[${[
      request({ id: 1, method: 'eth_blockNumber' }),
      request(chainId),
      request({ id: 'b', ...chainId }),
      '7',
    ].join(',')}]`,
    answer: [
      result(1, '0x10'),
      result('b', '0x7a69'),
      failure(null, -32600, 'invalid request: want an object'),
    ],
  },
  {
    title: 'a batch of one',
    body: `[${request({ id: 1, ...chainId })}]`,
    answer: [result(1, '0x7a69')],
  },
  {
    title: 'a batch of notifications',
    body: `[${request(chainId)},${request(chainId)}]`,
    answer: undefined,
  },
  { title: 'an empty batch', body: '[]', answer: failure(null, -32600, 'empty batch') },
  {
    title: 'a batch within a batch',
    body: `[[${request({ id: 1, ...chainId })}]]`,
    answer: [failure(null, -32600, 'invalid request: want an object')],
  },
  {
    title: 'a batch that is too long',
    body: '[1,1,1,1,1]',
    answer: failure(null, -32005, 'batch has 5 requests, at most 4 are allowed'),
  },
]
