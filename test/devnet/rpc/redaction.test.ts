import { describe, expect, test } from 'vitest'
import { shortened, shownParameters } from '../../../devnet/rpc/redaction.ts'

function shown(method: string | null, params: unknown, code?: number) {
  return shownParameters({
    method,
    params,
    error: code === undefined ? null : { code, message: '' },
  })
}

describe('shownParameters', () => {
  test.each([
    'personal_unlockAccount',
    'personal_sign',
    'wallet_addEthereumChain',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData_v4',
    null,
  ])('not those of %s', (method) => {
    expect(shown(method, ['0x1'])).toBeUndefined()
  })

  test('not those of a method that there is not', () => {
    expect(shown('miner_importKey', ['0x1'], -32601)).toBeUndefined()
    expect(shown('eth_call', ['0x1'], 3)).toEqual(['0x1'])
    expect(shown('eth_sendTransaction', ['0x1'])).toEqual(['0x1'])
    expect(shown('eth_chainId', undefined)).toBeUndefined()
  })

  test.each([
    ['anvil_setRpcUrl', ['https://user:pass@node.test/v2/key?k=key'], ['https://node.test/***']],
    ['hardhat_setRpcUrl', [`https://node.test/${'k'.repeat(99)}`], ['https://node.test/***']],
    ['anvil_setRpcUrl', ['node.test/v2/key'], ['***']],
    ['anvil_setRpcUrl', [{ url: 'wss://node.test/key' }], [{ url: '***' }]],
    [
      'hardhat_reset',
      [{ forking: { jsonRpcUrl: 'http://node.test:1/key', blockNumber: 'latest' } }],
      [{ forking: { jsonRpcUrl: 'http://node.test:1/***', blockNumber: 'latest' } }],
    ],
    [
      'anvil_reset',
      [{ forking: { blockNumber: 7, httpHeaders: { blockNumber: 'key' } } }],
      [{ forking: { blockNumber: 7, httpHeaders: '***' } }],
    ],
    ['anvil_reset', { forking: { jsonRpcUrl: ['key'] } }, { forking: { jsonRpcUrl: ['***'] } }],
  ])('no key of an upstream in those of %s %j', (method, params, expected) => {
    expect(shown(method, params)).toEqual(expected)
  })
})

describe('shortened', () => {
  const hash = `0x${'ab'.repeat(32)}`

  test('default', () => {
    const params = [{ to: `0x${'12'.repeat(20)}`, data: hash, n: 1, flag: null }, 'latest', true]
    expect(shortened(params)).toEqual(params)
    expect(shortened(undefined)).toBeUndefined()
  })

  test('long strings', () => {
    expect(shortened([`${hash}00`])).toEqual([`${hash.slice(0, 33)}… (68 characters)`])
  })

  test('long lists and objects, deep ones, and many of them', () => {
    const list = Array.from({ length: 20 }, (_, index) => index)
    expect(shortened(list)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, '… 8 more'])
    const object = Object.fromEntries(list.map((index) => [`k${index}`, index]))
    expect(Object.keys(Object(shortened(object)))).toHaveLength(13)
    expect(JSON.stringify(shortened([[[[[[[1]]]]]]]))).toBe('[[[[["…"]]]]]')
    const many = list.map(() => list)
    expect(JSON.stringify(shortened(many)).length).toBeLessThan(400)
  })

  test('names that objects have of themselves', () => {
    const params = JSON.parse('[{"__proto__":{"a":1},"constructor":2}]')
    expect(JSON.stringify(shortened(params))).toBe('[{"__proto__":{"a":1},"constructor":2}]')
  })
})
