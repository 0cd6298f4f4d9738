import { type Hex, numberToHex, pad } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatTransaction } from '../../../devnet/json/formatTransaction.ts'
import { START } from '../../support/chain.ts'
import { genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import {
  CODE,
  createExecutionChain,
  ETHER,
  type ExecutionChain,
  NOBODY,
  OTHER,
  overrides,
} from './harness.ts'
import { hashOf } from './headerHash.ts'

/** From Frontier to Osaka, a hardfork for almost every simulated block: by number, then by time. */
const CONFIG = {
  homesteadBlock: 2,
  eip150Block: 3,
  eip155Block: 3,
  eip158Block: 3,
  byzantiumBlock: 4,
  constantinopleBlock: 5,
  petersburgBlock: 5,
  istanbulBlock: 6,
  berlinBlock: 7,
  londonBlock: 8,
  mergeNetsplitBlock: 10,
  shanghaiTime: START + 11 * 12,
  cancunTime: START + 12 * 12,
  pragueTime: START + 13 * 12,
  osakaTime: START + 14 * 12,
}
const BLOCKS = 15

let node: ExecutionChain

beforeAll(async () => {
  const fields = { timestamp: numberToHex(START), difficulty: numberToHex(131_072) }
  node = await createExecutionChain({
    genesis: temporaryFile('genesis.json', genesisOf(CONFIG, fields)),
    timestamp: START,
  })
})

const word = (value: bigint | number) => pad(numberToHex(value))
/** Code that returns the word that `code` leaves, without opcodes of later hardforks. */
const returningEver = (code: string): Hex => `0x${code}60005260206000f3`

/** Simulates a block for each hardfork, all with the same calls to CODE and OTHER. */
async function simulate(code: string, more: object = {}) {
  const calls = [{ from: node.from, to: CODE, gas: 200_000n, ...more }]
  const genesis = node.chain.history.byNumber(0)
  if (genesis === undefined) throw new Error('There is a genesis block')
  const first = { stateOverrides: overrides({ [CODE]: { code: returningEver(code) } }), calls }
  return node.simulate(
    { blockStateCalls: [first, ...Array.from({ length: BLOCKS - 1 }, () => ({ calls }))] },
    { block: genesis, format: { transaction: formatTransaction } },
  )
}

/** The number of the first block in which a call to `code` succeeds. */
async function since(code: string): Promise<number> {
  const blocks = await simulate(code)
  const status = blocks.map(({ calls }) => calls[0]?.status)
  const first = status.indexOf('0x1')
  expect(status.slice(first).every((one) => one === '0x1')).toBe(true)
  return first + 1
}

describe('a simulation through all hardforks', () => {
  test.each<[string, string, number]>([
    ['GASPRICE', '3a', 1],
    ['RETURNDATASIZE, of Byzantium', '3d', 4],
    ['CHAINID, of Istanbul', '46', 6],
    ['BASEFEE, of London', '48', 8],
    ['PUSH0, of Shanghai', '5f', 11],
    ['BLOBBASEFEE, of Cancun', '4a', 12],
    ['CLZ, of Osaka', '60011e', 14],
  ])('%s', async (_, code, block) => {
    expect(await since(code)).toBe(block)
  })

  test('each header has the fields of its hardfork, and their hash', async () => {
    const blocks = await simulate('3a')
    const firstWith = (field: string) => blocks.findIndex((block) => field in block) + 1
    expect(
      ['baseFeePerGas', 'withdrawals', 'withdrawalsRoot', 'blobGasUsed', 'requestsHash'].map(
        firstWith,
      ),
    ).toEqual([8, 11, 11, 12, 13])
    for (const block of blocks) expect(block.hash).toBe(hashOf(block))
    const difficulties = blocks.map(({ difficulty }) => difficulty)
    expect(new Set(difficulties.slice(0, 9))).toEqual(new Set([numberToHex(131_072)]))
    expect(new Set(difficulties.slice(9))).toEqual(new Set(['0x0']))
  })

  test('calls make transactions of the types that there are', async () => {
    const types = async (more: object) =>
      (await simulate('3a', more)).map(
        ({ transactions }) => (transactions[0] as { type: Hex }).type,
      )
    expect(await types({})).toEqual([...Array(7).fill('0x0'), ...Array(8).fill('0x2')])
    const accessList = [{ address: CODE, storageKeys: [] }]
    expect(await types({ accessList })).toEqual([
      ...Array(6).fill('0x0'),
      '0x1',
      ...Array(8).fill('0x2'),
    ])
  })

  test('the state goes on from hardfork to hardfork', async () => {
    // Counts its calls: SLOAD(0) + 1, kept and returned.
    const blocks = await simulate('60005460010180600055')
    expect(blocks.map(({ calls }) => Number(calls[0]?.returnData))).toEqual(
      Array.from({ length: BLOCKS }, (_, index) => index + 1),
    )
  })

  test('a block before the merge earns its reward, which the next can spend', async () => {
    const read = { calls: [{ to: CODE }, { from: OTHER, to: NOBODY, value: ETHER }] }
    const balance = returningEver(`73${OTHER.slice(2)}31`)
    const genesis = node.chain.history.byNumber(0)
    if (genesis === undefined) throw new Error('There is a genesis block')
    const [, ...blocks] = await node.simulate(
      {
        blockStateCalls: [
          {
            blockOverrides: { feeRecipient: OTHER },
            stateOverrides: overrides({ [CODE]: { code: balance } }),
          },
          ...Array.from({ length: 11 }, () => read),
        ],
      },
      { block: genesis },
    )
    const balances = blocks.map(({ calls }) => BigInt(calls[0]?.returnData ?? '0x') / ETHER)
    // 5 ether, 3 from Byzantium and 2 from Constantinople on, none since Paris; one is spent in
    // each block.
    expect(balances).toEqual([5n, 9n, 13n, 15n, 16n, 17n, 18n, 19n, 20n, 19n, 18n])
  })

  test('system contracts are called from their hardfork on', async () => {
    const history: Hex = '0x0000f90827f1c53a10cb7a02335b175320002935'
    const genesis = node.chain.history.byNumber(0)
    if (genesis === undefined) throw new Error('There is a genesis block')
    const blocks = await node.simulate(
      {
        blockStateCalls: [
          { blockOverrides: { number: 14n } },
          { calls: [12, 13, 14].map((number) => ({ to: history, data: word(number) })) },
        ],
      },
      { block: genesis },
    )
    // EIP-2935 came with block 13, which wrote the hash of 12.
    expect(blocks.at(-1)?.calls.map(({ returnData }) => returnData)).toEqual(
      [12, 13, 14].map((number) => blocks[number - 1]?.hash),
    )
  })
})

test('blobs and authorizations are refused before their hardforks', async () => {
  const genesis = node.chain.history.byNumber(0)
  if (genesis === undefined) throw new Error('There is a genesis block')
  const run = (number: bigint, call: object) =>
    node.simulate(
      { blockStateCalls: [{ blockOverrides: { number }, calls: [{ to: NOBODY, ...call }] }] },
      { block: genesis },
    )
  const blobs = { blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }
  const authorization = { chainId: 1n, address: OTHER, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
  const delegation = { authorizationList: [authorization] }
  await expect(run(11n, blobs)).rejects.toMatchObject({ code: -32603 })
  expect((await run(12n, blobs)).at(-1)?.calls).toMatchObject([{ status: '0x1' }])
  await expect(run(12n, delegation)).rejects.toMatchObject({ code: -32603 })
  expect((await run(13n, delegation)).at(-1)?.calls).toMatchObject([{ status: '0x1' }])
})
