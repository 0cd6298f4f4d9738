import { readFileSync } from 'node:fs'
import { format } from 'node:util'
import { concatHex, encodeAbiParameters, keccak256, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { consoleMessage } from '../../../devnet/execution/consoleLog.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'

const hash = (bytes: Uint8Array) => keccak256(bytes, 'bytes')

/** What a call of `log` with these types and values prints. */
function printed(types: string, ...values: unknown[]): string | undefined {
  return printedAs(types, types, ...values)
}

/** The same, with other types in the function's name than those of its arguments. */
function printedAs(named: string, types: string, ...values: unknown[]): string | undefined {
  const parameters = types === '' ? [] : types.split(',').map((type) => ({ type }))
  const data = [toFunctionSelector(`log(${named})`), encodeAbiParameters(parameters, values)]
  return consoleMessage(fromHex(concatHex(data as `0x${string}`[])), hash)
}

const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** A value of each type, and what it looks like. */
const samples: Record<string, [value: unknown, text: string]> = {
  string: ['a text', 'a text'],
  uint256: [2n ** 255n, String(2n ** 255n)],
  int256: [-(2n ** 200n), String(-(2n ** 200n))],
  bool: [false, 'false'],
  address: [ADDRESS, ADDRESS],
  bytes: ['0xdeadbeef00', '0xdeadbeef00'],
}

function sample(type: string): [value: unknown, text: string] {
  const size = /^bytes(\d+)$/.exec(type)?.[1]
  if (size === undefined) return samples[type] ?? ['', 'no sample']
  const value = `0x${'ab'.repeat(Number(size))}`
  return [value, value]
}

describe('signatures', () => {
  const source = readFileSync(
    new URL('../../../node_modules/hardhat/console.sol', import.meta.url),
    'utf8',
  )
  const signatures = new Set(
    [...source.matchAll(/encodeWithSignature\("log\(([^)]*)\)"/g)].map(([, types = '']) => types),
  )

  test("every function of Hardhat's console.sol", () => {
    expect(signatures.size).toBe(375)
    for (const types of signatures) {
      const values = types === '' ? [] : types.split(',').map(sample)
      expect([types, printed(types, ...values.map(([value]) => value))]).toEqual([
        types,
        values.map(([, text]) => text).join(' '),
      ])
    }
  })

  test.each([
    ['int', 'int256', -5n, '-5'],
    ['uint', 'uint256', 5n, '5'],
    ['byte', 'bytes1', '0x05', '0x05'],
  ])('the old spelling log(%s)', (old, type, value, text) => {
    expect(printedAs(old, type, value)).toBe(text)
  })

  test('the old spelling among others', () => {
    const types = ['uint256', 'string', 'bool', 'address']
    const lists: string[][] = types.map((type) => [type])
    for (const list of lists)
      if (list.length < 4) lists.push(...types.map((type) => [...list, type]))
    expect(lists.length).toBe(340)
    for (const list of lists) {
      const old = list.join().replaceAll('uint256', 'uint')
      const values = list.map(sample)
      expect(printedAs(old, list.join(), ...values.map(([value]) => value))).toBe(
        values.map(([, text]) => text).join(' '),
      )
    }
  })

  test.each(['log(uint256,uint256,uint256,uint256,uint256)', 'log(uint8)', 'print(string)'])(
    '%s is not one of them',
    (signature) => {
      const data = fromHex(concatHex([toFunctionSelector(signature), `0x${'00'.repeat(160)}`]))
      expect(consoleMessage(data, hash)).toBeUndefined()
    },
  )
})

describe('format', () => {
  test.each([
    ['string,uint256', ['n = %d', 2n ** 256n - 1n], `n = ${2n ** 256n - 1n}`],
    ['string,uint256', ['n = %i', 2n ** 64n + 1n], 'n = 18446744073709551617'],
    ['string,uint256', ['n =', 7n], 'n = 7'],
    ['string,uint256,bool', ['%s and %s', 7n, true], '7 and true'],
    ['string,string,string', ['%s', 'a', 'b'], 'a b'],
    ['string,string', ['%%d %%%d', 'x'], '%d %x'],
    ['string,string', ['%%%%d', 'x'], '%%d x'],
    ['string,uint256', ['%f', 15n], '15'],
    ['string,uint256', ['%x', 15n], '%x 15'],
    ['string,string', ['%o', "it's"], `"it's"`],
    ['string,string', ['%j', 'a"b'], '"a\\"b"'],
    ['string,string', ['%c%s', 'gone'], '%s'],
    ['string', ['100 %d'], '100 %s'],
    ['string', ['100%'], '100%'],
    ['string,string', ['no more', '%d'], 'no more %d'],
    ['uint256,string', [1n, '%s'], '1 %s'],
    ['', [], ''],
  ])('args: log(%s) %o', (types, values, text) => {
    expect(printed(types, ...values)).toBe(text)
  })

  test('several lines, and any character', () => {
    const text = 'one\ntwo\u001b[31m\u0000é☃'
    expect(printed('string', text)).toBe(text)
  })

  test('node agrees on what is left over', () => {
    expect(printed('string,string,bool', '%s|', 'a', true)).toBe(format('%s|', 'a', 'true'))
  })
})

describe('calldata of every kind', () => {
  const selector = toFunctionSelector('log(string)')
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const text = Buffer.from('abc').toString('hex').padEnd(64, '0')

  test.each([
    ['nothing behind the selector', '', ''],
    ['half a word', '20', ''],
    ['an offset behind the end', word(1000n), ''],
    ['an offset of 2^256 - 1', word(2n ** 256n - 1n) + text, ''],
    ['a length behind the end', word(32n) + word(1000n) + text, `abc${'\0'.repeat(29)}`],
    ['a length of 2^256 - 1', word(32n) + word(2n ** 256n - 1n) + text, `abc${'\0'.repeat(29)}`],
    ['bytes that are no UTF-8', word(32n) + word(2n) + 'ff61'.padEnd(64, '0'), '\ufffda'],
  ])('%s', (_, body, printed) => {
    expect(consoleMessage(fromHex(`${selector}${body}`), hash)).toBe(printed)
  })

  test.each(['0x', '0x41304f'])('%s is too short for a selector', (data) => {
    expect(consoleMessage(fromHex(data), hash)).toBeUndefined()
  })

  test('missing words are zero', () => {
    const data = toFunctionSelector('log(uint256,bool,address,uint256)')
    expect(consoleMessage(fromHex(data), hash)).toBe(`0 false 0x${'00'.repeat(20)} 0`)
  })

  test('any word but zero is true in its last byte', () => {
    const bool = toFunctionSelector('log(bool)')
    expect(consoleMessage(fromHex(`${bool}${word(2n)}`), hash)).toBe('true')
    expect(consoleMessage(fromHex(`${bool}${word(256n)}`), hash)).toBe('false')
  })
})

test('the bytes are part of a larger buffer', () => {
  const data = fromHex(concatHex([toFunctionSelector('log(uint256)'), `0x${'00'.repeat(31)}07`]))
  const larger = new Uint8Array(data.length + 20)
  larger.set(data, 7)
  expect(consoleMessage(larger.subarray(7, 7 + data.length), hash)).toBe('7')
})
