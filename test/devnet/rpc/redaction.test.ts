import { describe, expect, test } from 'vitest'
import { areSecret, shortened } from '../../../devnet/rpc/redaction.ts'

describe('areSecret', () => {
  test.each([
    'personal_unlockAccount',
    'personal_sign',
    'wallet_addEthereumChain',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData_v4',
    null,
  ])('behavior: %s', (method) => {
    expect(areSecret(method, undefined)).toBe(true)
  })

  test('behavior: those of a method that there is not', () => {
    expect(areSecret('miner_importKey', -32601)).toBe(true)
    expect(areSecret('eth_call', 3)).toBe(false)
    expect(areSecret('eth_sendTransaction', undefined)).toBe(false)
  })
})

describe('shortened', () => {
  const hash = `0x${'ab'.repeat(32)}`

  test('default', () => {
    const params = [{ to: `0x${'12'.repeat(20)}`, data: hash, n: 1, flag: null }, 'latest', true]
    expect(shortened(params)).toEqual(params)
    expect(shortened(undefined)).toBeUndefined()
  })

  test('behavior: long strings', () => {
    expect(shortened([`${hash}00`])).toEqual([`${hash.slice(0, 33)}… (68 characters)`])
  })

  test('behavior: long lists and objects, deep ones, and many of them', () => {
    const list = Array.from({ length: 20 }, (_, index) => index)
    expect(shortened(list)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, '… 8 more'])
    const object = Object.fromEntries(list.map((index) => [`k${index}`, index]))
    expect(Object.keys(Object(shortened(object)))).toHaveLength(13)
    expect(JSON.stringify(shortened([[[[[[[1]]]]]]]))).toBe('[[[[["…"]]]]]')
    const many = list.map(() => list)
    expect(JSON.stringify(shortened(many)).length).toBeLessThan(400)
  })

  test('behavior: names that objects have of themselves', () => {
    const params = JSON.parse('[{"__proto__":{"a":1},"constructor":2}]')
    expect(JSON.stringify(shortened(params))).toBe('[{"__proto__":{"a":1},"constructor":2}]')
  })
})
