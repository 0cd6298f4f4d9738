import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbi, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { AbiValue } from '../../../devnet/primitives/abi.ts'
import { type AbiLike, argumentsFit, eventsOf } from '../../../plugin/assertions/abi-events.ts'

const lines = [
  'struct Pair { uint8 a; bytes b; }',
  'event All(Pair pair, string[] names, bytes4 mark, bool indexed yes, string indexed title, int8 low)',
  'event Bare(uint256, address indexed)',
  'event Nothing()',
  'event Same(uint256 a)',
  'event Same(address a)',
] as const
const abi = parseAbi(lines)
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const log = (topics: readonly unknown[], data: `0x${string}` = '0x') => ({
  address: account as `0x${string}`,
  // Without arrays, as no value is a list of choices.
  topics: topics as `0x${string}`[],
  data,
})

/** The values of a log without their names. */
const plain = (values: readonly AbiValue[] | undefined) => values?.map(({ value }) => value)

async function event(signature: string, of: AbiLike = abi) {
  const found = (await eventsOf(of)).find((one) => one.signature.startsWith(signature))
  if (found === undefined) throw new Error(`There is no event ${signature}.`)
  return found
}

const all = log(
  encodeEventTopics({ abi, eventName: 'All', args: { yes: true, title: 'hi' } }),
  encodeAbiParameters(
    [
      {
        type: 'tuple',
        components: [
          { name: 'a', type: 'uint8' },
          { name: 'b', type: 'bytes' },
        ],
      },
      { type: 'string[]' },
      { type: 'bytes4' },
      { type: 'int8' },
    ],
    [{ a: 3, b: '0x12AB' }, ['x', 'y'], '0xdeadbeef', -4],
  ),
)

describe('signatures', () => {
  test('default', async () => {
    expect((await eventsOf(abi)).map(({ signature }) => signature)).toEqual([
      'All((uint8,bytes),string[],bytes4,bool,string,int8)',
      'Bare(uint256,address)',
      'Nothing()',
      'Same(uint256)',
      'Same(address)',
    ])
  })

  test('short integers, entries of other kinds', async () => {
    const found = await eventsOf([
      'event A(uint a, int[2] b)',
      'function f() view returns (uint256)',
      { type: 'event' },
    ])
    expect(found.map(({ signature }) => signature)).toEqual(['A(uint256,int256[2])'])
  })
})

test('text of a log', async () => {
  const one = await event('All')
  expect(one.textOf(all)).toBe(
    `All(pair: (a: 3, b: 0x12ab), names: ["x", "y"], mark: 0xdeadbeef, yes: true, title: keccak256 ${keccak256(toHex('hi'))}, low: -4)`,
  )
})

test.each<[boolean, unknown[]]>([
  [true, []],
  [true, [{ a: 3n, b: '0x12AB' }, ['x', 'y'], '0xDEADBEEF', true, 'hi', -4]],
  [true, [[3, '0x12ab']]],
  [true, [{ a: 3 }]],
  [true, [null, null, new Uint8Array([0xde, 0xad, 0xbe, 0xef])]],
  [true, [null, null, null, null, keccak256(toHex('hi'))]],
  [true, [null, [expect.any(String), 'y']]],
  [false, [{ a: 4n }]],
  [false, [3n]],
  [false, [null, ['x']]],
  [false, [null, 'x']],
  [false, [null, ['X', 'y']]],
  [false, [null, null, '0xdeadbeee']],
  [false, [null, null, null, false]],
  [false, [null, null, null, null, 'ho']],
  [false, [null, null, null, null, null, 4]],
])('args: %s, case %#', async (fit, expected) => {
  const one = await event('All')
  expect(argumentsFit(one, one.decode(all) ?? [], expected)).toBe(fit)
})

test('args: without names', async () => {
  const one = await event('Bare')
  const given = log(
    encodeEventTopics({ abi, eventName: 'Bare', args: [account] }),
    encodeAbiParameters([{ type: 'uint256' }], [5n]),
  )
  expect(plain(one.decode(given))).toEqual([5n, account.toLowerCase()])
  expect(one.textOf(given)).toBe(`Bare(5, ${account.toLowerCase()})`)
})

test('args: none', async () => {
  const one = await event('Nothing')
  expect(one.decode(log(encodeEventTopics({ abi, eventName: 'Nothing' })))).toEqual([])
})

test('args: anonymous', async () => {
  const one = await event('Quiet', ['event Quiet(uint256 indexed a, uint256 b) anonymous'])
  const word = `0x${'5'.padStart(64, '0')}` as const
  expect(plain(one.decode(log([word], word)))).toEqual([5n, 5n])
  expect(one.decode(log([word, word], word))).toBe(undefined)
})

test('events of the same name', async () => {
  const data = encodeAbiParameters([{ type: 'address' }], [account])
  const topics = [keccak256(toHex('Same(address)'))]
  expect(plain((await event('Same(address')).decode(log(topics, data)))).toEqual([
    account.toLowerCase(),
  ])
  expect((await event('Same(uint')).decode(log(topics, data))).toBe(undefined)
})

test('data that is cut short', async () => {
  expect((await event('All')).decode({ ...all, data: all.data.slice(0, 100) as '0x' })).toBe(
    undefined,
  )
})

test('text that could drive a terminal, or is long', async () => {
  const one = await event('Said', ['event Said(string text, bytes data)'])
  const data = encodeAbiParameters(
    [{ type: 'string' }, { type: 'bytes' }],
    ['\u001b[2J\u009b\u202e', `0x${'00'.repeat(1000)}`],
  )
  expect(one.textOf(log([keccak256(toHex('Said(string,bytes)'))], data))).toBe(
    `Said(text: "\\u001b[2J\\u009b\\u202e", data: 0x${'0'.repeat(198)}… (1802 more characters))`,
  )
})
