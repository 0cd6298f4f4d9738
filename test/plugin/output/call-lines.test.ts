import { describe, expect, test } from 'vitest'
import { failureMessage } from '../../../devnet/rpc/redaction.ts'
import type { RequestEvent } from '../../../devnet/types.ts'
import type { Paint } from '../../../plugin/output/lines.ts'
import { callOf, errorData } from '../../../plugin/output/node-log.ts'
import { calledName, printedLines, requestText } from '../../../plugin/output/text-log.ts'
import { repeated } from '../sampleStatus.ts'

const to = repeated('2', 40)
const data = '0xa9059cbb0000'
const names = {
  contract: 'Token',
  function: 'transfer(address,uint256)',
  error: undefined,
  errorText: undefined,
}
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`

const request = (fields: Partial<RequestEvent>): RequestEvent => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
  elapsed: 1.25,
  error: null,
  ...fields,
})

describe('calledName', () => {
  test.each([
    [{ to, data }, names, 'Token.transfer'],
    [{ to: null, data }, names, 'Token'],
    [{ to, data: '0x' }, { ...names, function: undefined }, 'Token'],
    [{ to, data }, { ...names, function: undefined }, 'Token.<unrecognized function 0xa9059cbb>'],
    [{ to, data }, { ...names, contract: undefined }, '<unrecognized contract>'],
    [{ to, data }, { ...names, contract: 'T\u001b[2J' }, 'T\\x1b[2J.transfer'],
  ] as const)('args: %o %o', (call, known, text) => {
    expect(calledName(call, known)).toBe(text)
  })
})

describe('printedLines', () => {
  test('default: each line behind the indent, so that none looks like a line of the log', () => {
    const messages = ['one', 'sealed\nsealed         block 1\n\n\u001b[31mred', '']
    expect(printedLines({ messages, omitted: 2 }, '  ')).toEqual([
      '  one',
      '  sealed',
      '  sealed         block 1',
      '',
      '  \\x1b[31mred',
      '',
      '  … and 2 more console.log',
    ])
  })

  test('a very long one is cut', () => {
    const [line = ''] = printedLines({ messages: ['x'.repeat(20_000)], omitted: 0 }, '')
    expect(line).toMatch(/^x{16384}… \(3616 more characters\)$/)
  })
})

describe('requestText', () => {
  const plain = { parameters: false, paint: marked }
  const withParameters = { parameters: true, paint: marked }
  const reverted = { code: 3, message: 'execution reverted', data: '0x1234' }

  test('default', () => {
    expect(requestText(request({}), names, withParameters)).toBe(
      `called        eth_call Token.transfer  [{"to":"${to}","data":"${data}"},"latest"]`,
    )
    expect(requestText(request({ params: undefined }), undefined, withParameters)).toBe(
      'called        eth_call',
    )
  })

  test('failures in red, with the name of a custom error', () => {
    expect(requestText(request({ error: reverted }), undefined, plain)).toBe(
      '<red>failed        eth_call  execution reverted</red>',
    )
    const known = { ...names, error: 'TooQuiet(uint256)', errorText: 'TooQuiet(0)' }
    expect(requestText(request({ error: reverted }), known, plain)).toBe(
      '<red>failed        eth_call Token.transfer  execution reverted: TooQuiet(0)</red>',
    )
  })

  test('parameters of a failed request, also of a method that does not exist', () => {
    const error = { code: -32601, message: 'the method eth_foo does not exist' }
    expect(
      requestText(request({ method: 'eth_foo', params: [1], error }), undefined, {
        parameters: true,
        paint: (_, text) => text,
      }),
    ).toBe('failed        eth_foo  [1]  the method eth_foo does not exist')
  })

  test('nothing secret, and nothing that drives a terminal', () => {
    const secret = { params: ['my password', '0xkey'] }
    expect(
      requestText(request({ method: 'personal_sign', ...secret }), undefined, withParameters),
    ).toBe('called        personal_sign  (parameters not shown)')
    const error = { code: -32601, message: 'the method x\u001b[2J does not exist' }
    expect(
      requestText(request({ method: 'x\u001b[2J', error, ...secret }), undefined, {
        parameters: true,
        paint: (_, text) => text,
      }),
    ).toBe('failed        x\\x1b[2J  (parameters not shown)  the method x\\x1b[2J does not exist')
  })

  test('a message that is not a request has no name', () => {
    const error = { code: -32600, message: 'invalid request: want an object' }
    expect(requestText(request({ method: null, params: 7, error }), undefined, plain)).toBe(
      '<red>failed        a message  invalid request: want an object</red>',
    )
  })

  test('long ones are cut', () => {
    const error = { code: -32000, message: 'm'.repeat(5000) }
    const event = request({ method: 'x'.repeat(5000), params: ['p'.repeat(5000), 'q', 'r'], error })
    expect(requestText(event, undefined, withParameters).length).toBeLessThan(1600)
  })
})

describe('failureMessage', () => {
  test.each([
    ['eth_call', -32602, 'invalid argument 0', 'invalid argument 0'],
    ['personal_sign', -32602, 'invalid argument 0: "my secret"', 'invalid parameters'],
    ['personal_sign', -32000, 'unknown account', 'unknown account'],
    ['anvil_reset', -32602, 'invalid argument 0: "https://node.test/key"', 'invalid parameters'],
    ['anvil_setRpcUrl', -32000, 'http://node.test has block', 'http://node.test has block'],
    [null, -32700, 'parse error: Unexpected token in "0xkey…', 'parse error'],
  ])('args: %s %i', (method, code, message, text) => {
    expect(failureMessage(request({ method, error: { code, message } }))).toBe(text)
  })
})

describe('callOf', () => {
  test.each([
    [[{ to, data }], { to, data }],
    [[{ to, input: data, data: '0x' }], { to, data }],
    [[{ to }], { to, data: '0x' }],
    [[{ data }], { to: null, data }],
    [[{ to: null, data }], { to: null, data }],
    [[{ to: '0x12', data }], undefined],
    [[{ to: 'x', data }], undefined],
    [[{ to, data: 5 }], { to, data: '0x' }],
    [[{}], undefined],
    [[null], undefined],
    [['latest'], undefined],
    [[], undefined],
    [undefined, undefined],
    [{ to, data }, undefined],
  ])('args: %j', (params, call) => {
    expect(callOf({ params })).toEqual(call)
  })
})

test('errorData', () => {
  expect(errorData({ error: { code: 3, message: '', data: '0x12' } })).toBe('0x12')
  expect(errorData({ error: { code: 3, message: '', data: { a: 1 } } })).toBeUndefined()
  expect(errorData({ error: null })).toBeUndefined()
})
