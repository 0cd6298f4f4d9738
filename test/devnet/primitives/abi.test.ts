import fc from 'fast-check'
import { encodeAbiParameters, toHex, type AbiParameter as ViemParameter } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  type AbiParameter,
  type AbiValue,
  decodeParameters,
  isDynamic,
  readAbi,
} from '../../../devnet/primitives/abi.ts'
import { fromHex, type Hex } from '../../../devnet/primitives/hex.ts'

const AMPLE = { elements: 10_000, values: 10_000, bytes: 1_000_000 }

/** Parameters as an ABI in JSON has them. */
function parameters(inputs: readonly unknown[]): readonly AbiParameter[] {
  const [entry] = readAbi([{ type: 'function', name: 'f', inputs }])
  if (entry === undefined) throw new Error('The ABI is malformed')
  return entry.inputs
}

function decode(inputs: readonly unknown[], data: Hex, limits = AMPLE): readonly AbiValue[] {
  const values = decodeParameters(parameters(inputs), fromHex(data), limits)
  if (values === undefined) throw new Error('The data does not fit')
  return values
}

/** Without names and types; tuples and arrays as lists. */
function plain(value: AbiValue['value']): unknown {
  return typeof value === 'object' ? value.map((one) => plain(one.value)) : value
}

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')

describe('readAbi', () => {
  test('default: kinds, names and canonical signatures', () => {
    const tuple = {
      type: 'tuple[2][]',
      name: 'orders',
      components: [
        { type: 'uint', name: 'amount' },
        { type: 'tuple', components: [] },
      ],
    }
    expect(readAbi([{ type: 'error', name: 'No', inputs: [tuple] }])).toEqual([
      {
        kind: 'error',
        name: 'No',
        signature: 'No((uint256,())[2][])',
        inputs: [
          {
            type: '(uint256,())[2][]',
            name: 'orders',
            components: [
              { type: 'uint256', name: 'amount', components: [] },
              { type: '()', name: '', components: [] },
            ],
          },
        ],
      },
    ])
  })

  test('malformed entries are left out, the others stay', () => {
    let deep: object = { type: 'uint256' }
    for (let level = 0; level < 10_000; level++) deep = { type: 'tuple', components: [deep] }
    const good = { type: 'function', name: 'good' }
    const bad = [
      null,
      'function f()',
      {},
      { type: 'function' },
      { type: 'function', name: 5 },
      { type: 'function', name: 'f', inputs: {} },
      { type: 'function', name: 'f', inputs: [null] },
      { type: 'function', name: 'f', inputs: [{ type: 'tuple', components: 'none' }] },
      { type: 'function', name: 'f', inputs: [deep] },
      { type: 'function', name: 'f', inputs: [{ type: `uint8${'[]'.repeat(10_000)}` }] },
    ]
    expect(readAbi([...bad, good]).map(({ signature }) => signature)).toEqual(['good()'])
  })
})

/** A random type, with values of it that viem encodes. */
const typed: fc.Arbitrary<{ parameter: ViemParameter; value: unknown }> = fc.letrec<{
  any: { parameter: ViemParameter; value: unknown }
  leaf: { parameter: ViemParameter; value: unknown }
}>((tie) => ({
  leaf: fc.oneof(
    fc
      .integer({ min: 1, max: 32 })
      .chain((size) =>
        fc
          .bigInt({ min: 0n, max: 2n ** BigInt(8 * size) - 1n })
          .map((value) => ({ parameter: { type: `uint${8 * size}` }, value })),
      ),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value) => ({ parameter: { type: 'int64' }, value: value })),
    fc.boolean().map((value) => ({ parameter: { type: 'bool' }, value })),
    fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((value) => ({ parameter: { type: 'address' }, value: toHex(value) })),
    fc
      .uint8Array({ minLength: 5, maxLength: 5 })
      .map((value) => ({ parameter: { type: 'bytes5' }, value: toHex(value) })),
    fc
      .uint8Array({ maxLength: 70 })
      .map((value) => ({ parameter: { type: 'bytes' }, value: toHex(value) })),
    fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((value) => ({ parameter: { type: 'string' }, value })),
  ),
  any: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((parts) => ({
      parameter: { type: 'tuple', components: parts.map(({ parameter }) => parameter) },
      value: parts.map(({ value }) => value),
    })),
    fc
      .tuple(tie('any'), fc.integer({ min: 0, max: 3 }), fc.boolean())
      .map(([{ parameter, value }, length, isFixed]) => ({
        parameter: {
          ...parameter,
          type: `${parameter.type}[${isFixed && length > 0 ? length : ''}]`,
        },
        value: Array(length).fill(value),
      })),
  ),
})).any

describe('decodeParameters', () => {
  test('default: what viem encodes, for any type', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), (parts) => {
        const inputs = parts.map(({ parameter }) => parameter)
        const data = encodeAbiParameters(
          inputs,
          parts.map(({ value }) => value),
        )
        const decoded = decode(inputs, data)
        expect(decoded.map(({ value }) => plain(value))).toEqual(parts.map(({ value }) => value))
        expect(
          JSON.stringify(decoded, (_, one) => (typeof one === 'bigint' ? '' : one)),
        ).not.toMatch(/"omitted":[1-9]/)
      }),
      { numRuns: 300 },
    )
  })

  test('default: names and types of what is nested', () => {
    const inputs = [
      { type: 'tuple[]', name: 'orders', components: [{ type: 'uint8', name: 'kind' }] },
    ]
    const data = encodeAbiParameters(inputs, [[[7]]])
    expect(decode(inputs, data)).toEqual([
      {
        name: 'orders',
        type: '(uint8)[]',
        omitted: 0,
        value: [
          {
            name: '',
            type: '(uint8)',
            omitted: 0,
            value: [{ name: 'kind', type: 'uint8', value: 7n, omitted: 0 }],
          },
        ],
      },
    ])
  })

  test.each([
    ['nothing', 'uint256', ''],
    ['less than a word', 'uint256', '00'],
    ['an address with more than 20 bytes', 'address', word(2n ** 160n)],
    ['a boolean other than 0 and 1', 'bool', word(2)],
    ['an integer over its type', 'uint8', word(256)],
    ['a negative integer without its sign', 'int8', word(255)],
    ['bytes behind the end of a short type', 'bytes4', word(1)],
    ['an offset behind the data', 'string', word(1000)],
    ['an offset over 2^64', 'bytes', word(2n ** 64n)],
    ['a length behind the data', 'bytes', word(32) + word(1)],
    ['an array longer than the data', 'uint8[]', word(32) + word(5) + word(1)],
    ['an array of nothing, a million times', 'uint8[0][]', word(32) + word(64)],
    ['a fixed array longer than the data', 'uint8[1000000000]', word(0)],
    ['a fixed array without end', `uint8[${'9'.repeat(40)}]`, word(0)],
    ['a type that no compiler makes', 'uint7', word(0)],
    ['a type of the future', 'fixed128x18', word(0)],
    ['too many bytes', 'bytes33', word(0)],
    ['no type at all', '', word(0)],
  ])('error: %s', (_name, type, data) => {
    expect(decodeParameters(parameters([{ type }]), fromHex(`0x${data}`), AMPLE)).toBeUndefined()
  })

  test('limits bound the work, whatever the data says', () => {
    const million = `0x${word(32)}${word(31_000)}${word(5).repeat(31_000)}` as Hex
    const [list] = decode([{ type: 'uint256[]' }], million, { ...AMPLE, values: 10 })
    expect(list).toMatchObject({ omitted: 30_990 })
    expect(list?.value).toHaveLength(10)
    const two = `0x${word(64)}${word(160)}${(word(2) + word(5) + word(6)).repeat(2)}` as Hex
    const lists = decode([{ type: 'uint256[]' }, { type: 'uint256[]' }], two, {
      ...AMPLE,
      elements: 1,
      values: 1,
    })
    // No parameter is left out, only what is in it.
    expect(lists.map(({ value, omitted }) => [plain(value), omitted])).toEqual([
      [[5n], 1],
      [[], 2],
    ])
    // Ten levels of arrays whose hundred elements are all the same bytes: 100^10 values.
    const level = (depth: number): string =>
      depth === 0 ? word(1) : word(100) + word(100 * 32).repeat(100) + level(depth - 1)
    const bomb = `0x${word(32)}${level(10)}` as Hex
    const seen = decode([{ type: `uint256${'[]'.repeat(10)}` }], bomb, { ...AMPLE, values: 50 })
    expect(JSON.stringify(seen, (_, one) => String(one)).length).toBeLessThan(10_000)
  })

  test('long bytes and strings are cut, between characters', () => {
    const inputs = [{ type: 'bytes' }, { type: 'string' }, { type: 'string' }]
    const data = encodeAbiParameters(inputs, [`0x${'ab'.repeat(4)}`, 'aé€€', 'more'])
    expect(
      decode(inputs, data, { ...AMPLE, bytes: 9 }).map(({ value, omitted }) => [value, omitted]),
    ).toEqual([
      ['0xabababab', 0],
      ['aé', 4],
      ['', 4],
    ])
  })
})

describe('ABIs of any program', () => {
  test('what exceeds the number of entries and parameters is left out', () => {
    const entry = (index: number) => ({
      type: 'function',
      name: `f${index}`,
      inputs: [{ type: 'uint256' }],
    })
    expect(readAbi(Array.from({ length: 100_000 }, (_, index) => entry(index))).length).toBe(5000)
  })

  test('tuples in tuples that would be 10 to the power of 15 parameters', () => {
    let components: unknown = [{ type: 'uint256' }]
    for (let level = 0; level < 15; level++) {
      components = Array(10).fill({ type: 'tuple', name: 't', components })
    }
    const whole = { type: 'function', name: 'fits', inputs: [{ type: 'uint8' }] }
    const abi = readAbi([whole, { type: 'function', name: 'f', inputs: components }])
    expect(abi.map(({ name }) => name)).toEqual(['fits'])
  })

  test.each([
    ['uint256', false],
    ['bytes32', false],
    ['bytes', true],
    ['string', true],
    ['bytes[2]', true],
    ['bytes4[2]', false],
    ['uint8[]', true],
    ['uint8[2][3]', false],
    ['uint8[][3]', true],
    ['mystring', false],
    ['stringy', false],
    ['(uint8,(bytes3,address)[2])', false],
    ['(uint8,(bytes,address)[2])', true],
    ['(uint8,(bytes3,string))', true],
  ])('%s is dynamic: %s', (type, expected) => {
    expect(isDynamic({ type, name: '', components: [] })).toBe(expected)
  })
})
