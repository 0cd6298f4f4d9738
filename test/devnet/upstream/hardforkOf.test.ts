import { expect, test } from 'vitest'
import { quantity } from '../../../devnet/primitives/hex.ts'
import { baseFeeOf, hardforkOf } from '../../../devnet/upstream/hardforkOf.ts'
import { readBlock } from '../../../devnet/upstream/upstreamBlock.ts'
import { BLOCK } from './fakeNode.ts'

type Changes = Record<string, unknown>

/** Leaves fields of the header out. */
function without(...names: (keyof typeof BLOCK)[]): Changes {
  return Object.fromEntries(names.map((name) => [name, undefined]))
}

function blockOf(changes: Changes) {
  const block = readBlock({ ...BLOCK, ...changes })
  if (block === undefined) throw new Error('the block is there')
  return block
}

function found(chainId: bigint, changes: Changes = {}, config?: unknown) {
  return hardforkOf({ chainId, block: blockOf(changes), config, option: undefined })
}

const UNKNOWN_CHAIN = 4242n

test('the option decides before all', async () => {
  const evidence = { chainId: 1n, block: blockOf({}), config: undefined, option: 'london' } as const
  expect(await hardforkOf(evidence)).toEqual(['london', 'option'])
})

// Times and numbers of the hardforks on each chain, each at its first block and at the one before.
test.each<[string, bigint, { number?: number; timestamp?: number }, string]>([
  ['mainnet', 1n, { number: 12_964_999, timestamp: 1_628_166_800 }, 'berlin'],
  ['mainnet', 1n, { number: 12_965_000, timestamp: 1_628_166_822 }, 'london'],
  ['mainnet', 1n, { number: 15_537_394, timestamp: 1_663_224_179 }, 'paris'],
  ['mainnet', 1n, { number: 17_034_870, timestamp: 1_681_338_455 }, 'shanghai'],
  ['mainnet', 1n, { number: 19_426_587, timestamp: 1_710_338_135 }, 'cancun'],
  ['mainnet', 1n, { number: 22_431_083, timestamp: 1_746_612_310 }, 'cancun'],
  ['mainnet', 1n, { number: 22_431_084, timestamp: 1_746_612_311 }, 'prague'],
  ['mainnet', 1n, { number: 23_935_694, timestamp: 1_764_798_551 }, 'osaka'],
  ['mainnet', 1n, { number: 24_200_000, timestamp: 1_767_747_671 }, 'bpo2'],
  ['Sepolia', 11_155_111n, { number: 9_000_000, timestamp: 1_760_427_359 }, 'prague'],
  ['Sepolia', 11_155_111n, { number: 9_000_000, timestamp: 1_760_427_360 }, 'osaka'],
  ['Hoodi', 560_048n, { number: 5, timestamp: 1_742_213_400 }, 'cancun'],
  ['OP Mainnet before Canyon', 10n, { timestamp: 1_704_992_400 }, 'paris'],
  ['OP Mainnet, Canyon', 10n, { timestamp: 1_704_992_401 }, 'shanghai'],
  ['OP Mainnet, Ecotone', 10n, { timestamp: 1_710_374_401 }, 'cancun'],
  ['OP Mainnet, Isthmus', 10n, { timestamp: 1_779_991_200 }, 'prague'],
  ['Base, Isthmus', 8453n, { timestamp: 1_746_806_401 }, 'prague'],
  ['Base before Azul', 8453n, { timestamp: 1_779_991_199 }, 'prague'],
  ['Base, Azul', 8453n, { timestamp: 1_779_991_200 }, 'osaka'],
  ['Base Sepolia, Azul', 84_532n, { timestamp: 1_776_708_000 }, 'osaka'],
  ['Base Sepolia, Ecotone', 84_532n, { timestamp: 1_708_534_800 }, 'cancun'],
  ['Polygon, London', 137n, { number: 50_522_999 }, 'london'],
  ['Polygon, Napoli', 137n, { number: 54_876_000 }, 'cancun'],
  ['Polygon, Agra', 137n, { number: 50_523_000 }, 'shanghai'],
  ['Polygon, Bhilai', 137n, { number: 73_440_256 }, 'prague'],
  ['Polygon, Lisovo', 137n, { number: 83_756_500 }, 'osaka'],
  ['Amoy, Agra', 80_002n, { number: 73_100 }, 'shanghai'],
  ['Amoy, Bhilai', 80_002n, { number: 33_634_699 }, 'prague'],
  ['Amoy, Lisovo', 80_002n, { number: 33_634_700 }, 'osaka'],
])('%s (%i) at %o', async (_, chainId, { number = 1000, timestamp = 0 }, hardfork) => {
  const changes = { number: quantity(number), timestamp: quantity(timestamp) }
  expect(await found(chainId, changes)).toEqual([hardfork, 'table'])
})

test('a header of Amsterdam decides before the tables, which do not know it yet', async () => {
  const changes = { blockAccessListHash: `0x${'1d'.repeat(32)}`, slotNumber: '0x9' }
  for (const chain of [UNKNOWN_CHAIN, 1n, 11_155_111n]) {
    expect(await found(chain, changes)).toEqual(['amsterdam', 'header'])
  }
})

test.each<[string, Changes]>([
  ['prague', {}],
  ['cancun', without('requestsHash')],
  ['shanghai', without('requestsHash', 'parentBeaconBlockRoot')],
  ['paris', without('requestsHash', 'parentBeaconBlockRoot', 'withdrawalsRoot')],
  [
    'london',
    { ...without('requestsHash', 'parentBeaconBlockRoot', 'withdrawalsRoot'), difficulty: '0x2' },
  ],
  ['berlin', without('requestsHash', 'parentBeaconBlockRoot', 'withdrawalsRoot', 'baseFeePerGas')],
])('a header has the shape of %s', async (hardfork, changes) => {
  expect(await found(UNKNOWN_CHAIN, changes)).toEqual([hardfork, 'header'])
})

test.each([
  [10, 'london'],
  [11, 'shanghai'],
  [20, 'cancun'],
  [40, 'prague'],
  [49, 'prague'],
  [50, 'osaka'],
])('version %i of ArbOS in the mix hash is %s', async (version, hardfork) => {
  const digits = version.toString(16).padStart(16, '0')
  const changes = {
    ...without('requestsHash', 'parentBeaconBlockRoot', 'withdrawalsRoot'),
    difficulty: '0x1',
    mixHash: `0x${'00'.repeat(7)}05${'00'.repeat(7)}09${digits}${'00'.repeat(8)}`,
    sendRoot: `0x${'00'.repeat(32)}`,
    l1BlockNumber: '0x9',
  }
  expect(await found(42_161n, changes)).toEqual([hardfork, 'header'])
})

const CANCUN = { KZG_POINT_EVALUATION: '0x0a' }
const PRAGUE = { ...CANCUN, BLS12_G1ADD: '0x0b' }
const OSAKA = { ...PRAGUE, P256VERIFY: '0x0100' }
const BUILDERS = { BUILDER_DEPOSIT_CONTRACT_ADDRESS: '0x8282' }

function config(precompiles: object, max: number, activationTime = 0) {
  return { activationTime, blobSchedule: { max }, precompiles, systemContracts: {} }
}

test.each([
  ['cancun', config(CANCUN, 6)],
  ['prague', config(PRAGUE, 9)],
  ['osaka', config(OSAKA, 9)],
  ['bpo1', config(OSAKA, 15)],
  ['bpo2', config(OSAKA, 21)],
  ['amsterdam', { ...config(OSAKA, 21), systemContracts: BUILDERS }],
])('eth_config tells %s', async (hardfork, current) => {
  const answer = { current, next: null, last: null }
  expect(await found(UNKNOWN_CHAIN, {}, answer)).toEqual([hardfork, 'eth_config'])
})

test('eth_config counts only if it held at the time of the block', async () => {
  const time = Number(BLOCK.timestamp)
  const answer = {
    current: config(PRAGUE, 9, time),
    next: config(OSAKA, 9, time + 1),
    last: config(OSAKA, 21, time + 2),
  }
  expect(await found(UNKNOWN_CHAIN, {}, answer)).toEqual(['prague', 'eth_config'])
  const later = { ...answer, current: config(OSAKA, 9, time + 1) }
  expect(await found(UNKNOWN_CHAIN, without('requestsHash'), later)).toEqual(['cancun', 'header'])
})

test.each([
  ['no object', 'osaka'],
  ['an empty one', {}],
  ['a list', [1]],
  ['fields of other types', { current: { activationTime: '0', precompiles: [] } }],
])('%s as eth_config tells nothing', async (_, answer) => {
  expect(await found(UNKNOWN_CHAIN, {}, answer)).toEqual(['prague', 'header'])
})

const HOLOCENE = '0x00000000320000000a'

test('an unknown chain of the OP stack is not taken for a later hardfork', async () => {
  const answer = { current: config(OSAKA, 9), next: null, last: null }
  expect(await found(UNKNOWN_CHAIN, { extraData: HOLOCENE }, answer)).toEqual(['prague', 'header'])
})

test('base fee rules come from extraData, and before Holocene from the chain', () => {
  expect(baseFeeOf(UNKNOWN_CHAIN, blockOf({}))).toMatchObject({ denominator: 8n, elasticity: 2n })
  expect(baseFeeOf(UNKNOWN_CHAIN, blockOf({ extraData: HOLOCENE }))).toMatchObject({
    denominator: 50n,
    elasticity: 10n,
  })
  expect(baseFeeOf(10n, blockOf({}))).toMatchObject({ denominator: 250n, elasticity: 6n })
})

test.each<[string, Changes, string]>([
  ['no hash', { hash: undefined }, 'a block without a hash'],
  ['a zero hash', { hash: `0x${'00'.repeat(32)}` }, 'a block without a hash'],
  ['no number', { number: undefined }, 'a block without number'],
  ['no timestamp', { timestamp: null }, 'a block without timestamp'],
  ['a decimal number', { gasLimit: 30_000_000 }, 'a block whose gasLimit is no hexadecimal text'],
  ['a short root', { stateRoot: '0x1234' }, 'a block whose stateRoot has 2 bytes, not 32'],
  ['a number that is too large', { number: `0x1${'0'.repeat(16)}` }, 'number is too large'],
])('a block with %s is refused', (_, changes, message) => {
  expect(() => blockOf(changes)).toThrow(message)
})

test('fields that a chain leaves out are those of an empty block', () => {
  const { header } = blockOf(without('mixHash', 'stateRoot', 'gasUsed'))
  expect(header.mixHash).toEqual(new Uint8Array(32))
  expect(header.nonce).toEqual(new Uint8Array(8))
  expect(header.gasUsed).toBe(0n)
})
