import type { Hex } from 'viem'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { blockAt, expectAllLinked } from '../../chain/linkage.ts'
import { createRpcChain, hex, type RpcChain, ZERO_HASH } from './rpcChain.ts'

/** Logs; returns number, timestamp, prevRandao and slot 0, and the hash of the block before. */
const CODE = '0x435f52426020524460405260014303406060525f546080525f5fa060a05ff3'
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const WORD: Hex = `0x${'00'.repeat(31)}2a`

/** Blocks 2 to 1001 are of one command; all but the first and the last of them are reserved. */
const POSITIONS = [
  ['before', 2],
  ['at the begin of', 3],
  ['in', 500],
  ['at the end of', 1000],
  ['after', 1001],
] as const

async function create(options: OptionsInput = {}): Promise<RpcChain> {
  const node = await createRpcChain(options)
  const send = async () => {
    await node.call('eth_sendTransaction', { from: node.account(0).address, to: CONTRACT })
    await node.call('evm_mine')
  }
  await node.call('hardhat_setCode', CONTRACT, CODE)
  await node.call('hardhat_setStorageAt', CONTRACT, '0x0', WORD)
  await send()
  await node.call('hardhat_mine', '0x3e8', '0x3c')
  await send()
  return node
}

let made: Promise<RpcChain> | undefined
let node: RpcChain
beforeEach(async () => {
  // Once: the tests only read.
  made ??= create()
  node = await made
})

/** The parameters of a request about one block. */
type Params = (block: Pick<FormattedBlock, 'number' | 'hash'>) => readonly unknown[]

const byNumber: Params = ({ number }) => [number]
const byHash: Params = ({ hash }) => [hash]
const ofContract: Params = ({ number }) => [CONTRACT, number]
const call = { to: CONTRACT }

/** What empty blocks on one state answer alike. */
const ALIKE: readonly (readonly [method: string, params: Params, expected: unknown])[] = [
  ['eth_getBlockTransactionCountByNumber', byNumber, '0x0'],
  ['eth_getBlockTransactionCountByHash', byHash, '0x0'],
  ['eth_getUncleCountByBlockNumber', byNumber, '0x0'],
  ['eth_getUncleCountByBlockHash', byHash, '0x0'],
  ['eth_getUncleByBlockNumberAndIndex', ({ number }) => [number, '0x0'], null],
  ['eth_getUncleByBlockHashAndIndex', ({ hash }) => [hash, '0x0'], null],
  ['eth_getTransactionByBlockNumberAndIndex', ({ number }) => [number, '0x0'], null],
  ['eth_getTransactionByBlockHashAndIndex', ({ hash }) => [hash, '0x0'], null],
  ['eth_getRawTransactionByBlockNumberAndIndex', ({ number }) => [number, '0x0'], null],
  ['eth_getRawTransactionByBlockHashAndIndex', ({ hash }) => [hash, '0x0'], null],
  ['eth_getBlockReceipts', byNumber, []],
  ['eth_getBlockReceipts', ({ hash }) => [{ blockHash: hash }], []],
  ['debug_getRawReceipts', byNumber, []],
  ['debug_traceBlockByNumber', byNumber, []],
  ['debug_traceBlockByHash', byHash, []],
  ['eth_getLogs', ({ hash }) => [{ blockHash: hash }], []],
  ['eth_getLogs', ({ number }) => [{ fromBlock: number, toBlock: number }], []],
  ['eth_getBalance', ofContract, '0x0'],
  ['eth_getBalance', ({ hash }) => [CONTRACT, { blockHash: hash }], '0x0'],
  ['eth_getCode', ofContract, CODE],
  ['eth_getStorageAt', ({ number }) => [CONTRACT, '0x0', number], WORD],
  [
    'eth_getStorageValues',
    ({ number }) => [{ [CONTRACT]: ['0x0'] }, number],
    { [CONTRACT]: [WORD] },
  ],
  ['eth_getTransactionCount', ({ number }) => [node.account(0).address, number], '0x1'],
  ['eth_getAccount', ofContract, expect.objectContaining({ nonce: '0x0' })],
  ['eth_getAccountInfo', ofContract, expect.objectContaining({ code: CODE })],
  ['eth_estimateGas', ({ number }) => [call, number], expect.stringMatching(/^0x5\w{3}$/)],
  [
    'eth_createAccessList',
    ({ number }) => [call, number],
    expect.objectContaining({
      accessList: [{ address: CONTRACT, storageKeys: [ZERO_HASH] }],
    }),
  ],
]

describe.each(POSITIONS)('a block %s a range', (_, number) => {
  const isReserved = number > 2 && number < 1001
  const read = () => node.call<FormattedBlock>('eth_getBlockByNumber', hex(number), false)
  const word = (value: string) => value.slice(2).padStart(64, '0')

  test('eth_getBlockByNumber, eth_getBlockByHash and the headers', async () => {
    const block = await read()
    const before = await node.call<FormattedBlock>('eth_getBlockByNumber', hex(number - 1), false)
    const first = await node.call<FormattedBlock>('eth_getBlockByNumber', '0x2', false)
    expect(block).toMatchObject({
      number: hex(number),
      parentHash: before.hash,
      timestamp: hex(Number(first.timestamp) + 60 * (number - 2)),
      miner: first.miner,
      gasLimit: first.gasLimit,
      gasUsed: '0x0',
      transactions: [],
      uncles: [],
    })
    if (isReserved) expect(block.stateRoot).toBe(first.stateRoot)
    if (isReserved) expect(block.hash.slice(50)).toBe(number.toString(16).padStart(16, '0'))
    expect(await node.call('eth_getBlockByHash', block.hash, false)).toEqual(block)
    expect(await node.call('eth_getBlockByHash', block.hash, true)).toEqual(block)
    expect(block).toMatchObject(await node.call<object>('eth_getHeaderByNumber', block.number))
    expect(block).toMatchObject(await node.call<object>('eth_getHeaderByHash', block.hash))
  })

  test.each(ALIKE)('%s', async (method, params, expected) => {
    expect(await node.call(method, ...params(await read()))).toEqual(expected)
  })

  test('eth_call and eth_simulateV1 see the block, and the hash of the one before', async () => {
    const { timestamp, mixHash, parentHash, hash } = await read()
    const words = [hex(number), timestamp, mixHash, parentHash, WORD]
    const seen = `0x${words.map(word).join('')}`
    expect(await node.call('eth_call', call, hex(number))).toBe(seen)
    expect(await node.call('eth_call', call, { blockHash: hash })).toBe(seen)
    const [simulated] = await node.call<{ calls: { returnData: Hex }[] }[]>(
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [call] }] },
      hex(number),
    )
    expect(simulated).toMatchObject({ number: hex(number + 1), parentHash: hash })
    const after = [hex(number + 1), hex(Number(timestamp) + 12), '0x0', hash, WORD]
    expect(simulated?.calls[0]?.returnData).toBe(`0x${after.map(word).join('')}`)
  })

  test('debug_traceCall', async () => {
    const { timestamp, mixHash, parentHash } = await read()
    const traced = await node.call<{ output: Hex }>('debug_traceCall', call, hex(number), {
      tracer: 'callTracer',
    })
    const words = [hex(number), timestamp, mixHash, parentHash, WORD]
    expect(traced.output).toBe(`0x${words.map(word).join('')}`)
  })

  test('eth_getProof proves against the state root', async () => {
    const { stateRoot } = await read()
    const { accountProof, storageProof } = await node.call<{
      accountProof: Hex[]
      storageProof: { value: Hex }[]
    }>('eth_getProof', CONTRACT, ['0x0'], hex(number))
    const { keccak256 } = node.engine.crypto
    expect(toHex(keccak256(fromHex(accountProof[0] ?? '0x')))).toBe(stateRoot)
    expect(storageProof).toMatchObject([{ value: '0x2a' }])
  })

  test('eth_feeHistory', async () => {
    const fees = await Promise.all(
      [number - 1, number, number + 1].map((one) =>
        node.call<FormattedBlock>('eth_getBlockByNumber', hex(one), false),
      ),
    )
    expect(await node.call('eth_feeHistory', '0x2', hex(number), [50])).toMatchObject({
      oldestBlock: hex(number - 1),
      baseFeePerGas: fees.map(({ baseFeePerGas }) => baseFeePerGas),
      gasUsedRatio: number === 2 ? [expect.closeTo(0.0004, 3), 0] : [0, 0],
      blobGasUsedRatio: [0, 0],
    })
  })

  test('eth_getLogs and eth_newFilter from and to the block', async () => {
    const logs = async (filter: object) => {
      const found = await node.call<{ blockNumber: Hex }[]>('eth_getLogs', filter)
      const id = await node.call('eth_newFilter', filter)
      const filtered = await node.call('eth_getFilterLogs', id)
      expect(filtered).toEqual(found)
      expect(await node.call('eth_getFilterChanges', id)).toEqual(found)
      return found.map(({ blockNumber }) => Number(blockNumber))
    }
    expect(await logs({ fromBlock: hex(number), toBlock: 'latest' })).toEqual([1002])
    expect(await logs({ fromBlock: '0x0', toBlock: hex(number) })).toEqual([1])
    expect(await logs({ fromBlock: '0x0', toBlock: 'latest' })).toEqual([1, 1002])
  })

  test('debug_getRawBlock and debug_getRawHeader refuse what has no header of that hash', async () => {
    const { hash } = await read()
    const keccak = (encoded: Hex) => toHex(node.engine.crypto.keccak256(fromHex(encoded)))
    if (!isReserved) {
      const header = await node.call<Hex>('debug_getRawHeader', hex(number))
      expect(keccak(header)).toBe(hash)
      expect(await node.call('debug_getRawBlock', hex(number))).toContain(header.slice(2))
      return
    }
    for (const method of ['debug_getRawBlock', 'debug_getRawHeader']) {
      for (const reference of [hex(number), { blockHash: hash }]) {
        expect(await node.failure(method, reference)).toEqual({
          code: -32000,
          message: `block ${number} was reserved by a command for many empty blocks, so that its hash is not that of its header: commands for at most 256 blocks seal each of them`,
        })
      }
    }
  })

  test('safe and finalized', async () => {
    const depth = 1002 - number
    const deep = await create({ safeDepth: depth, finalizedDepth: depth + 1 })
    const shown = async (tag: string) =>
      (await deep.call<FormattedBlock>('eth_getBlockByNumber', tag, false)).hash
    expect(await shown('safe')).toBe(blockAt(node.chain, number).hash)
    expect(await shown('finalized')).toBe(blockAt(node.chain, number - 1).hash)
  })

  test('BLOCKHASH of the next blocks, up to 256', async () => {
    const code = `0x61${number.toString(16).padStart(4, '0')}405f5260205ff3`
    const overrides = { [CONTRACT]: { code } }
    const ask = (block: number) => node.call('eth_call', call, hex(block), overrides)
    const { hash } = await read()
    expect(await ask(Math.min(number + 256, 1002))).toBe(hash)
    expect(await ask(number)).toBe(ZERO_HASH)
    if (number + 257 <= 1002) expect(await ask(number + 257)).toBe(ZERO_HASH)
  })
})

describe('a billion blocks', () => {
  const COUNT = hex(1e9)

  test('eth_getLogs and filters look at the sealed ones only', async () => {
    const { call, chain } = await create()
    const ids = [
      await call('eth_newFilter', {}),
      await call('eth_newFilter', { fromBlock: '0x0', toBlock: 'pending' }),
    ]
    await call('hardhat_mine', COUNT)
    const byNumber = vi.spyOn(chain.history, 'byNumber')
    expect(await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toHaveLength(2)
    expect(await call('eth_getLogs', { fromBlock: hex(5000), toBlock: hex(1e8) })).toEqual([])
    expect(await call('eth_getFilterChanges', ids[0])).toEqual([])
    expect(await call('eth_getFilterChanges', ids[1])).toHaveLength(2)
    expect(byNumber.mock.calls.length).toBeLessThan(50)
    // As many are left when the range is pending again, or gone.
    await call('eth_sendTransaction', { from: node.account(0).address, to: CONTRACT })
    await call('evm_mine')
    expect(await call('eth_getFilterChanges', ids[0])).toHaveLength(1)
    expect(await call('eth_getFilterChanges', ids[1])).toHaveLength(1)
  })

  test('a filter goes back with a revert out of the range', async () => {
    const { call, account } = await create()
    const id = await call('eth_newFilter', { fromBlock: '0x0' })
    const snapshot = await call('evm_snapshot')
    const send = () => call('eth_sendTransaction', { from: account(0).address, to: CONTRACT })
    await call('hardhat_mine', COUNT)
    await send()
    await call('evm_mine')
    expect(await call('eth_getFilterChanges', id)).toHaveLength(3)
    await call('evm_revert', snapshot)
    await send()
    await call('hardhat_mine', COUNT)
    expect(await call('eth_getFilterChanges', id)).toMatchObject([{ blockNumber: hex(1003) }])
  })

  test('eth_newBlockFilter answers the newest 10,000 hashes', async () => {
    const { call, chain } = await create()
    const id = await call('eth_newBlockFilter')
    await call('hardhat_mine', COUNT)
    const hashes = await call<Hex[]>('eth_getFilterChanges', id)
    const last = chain.head.number
    expect(hashes).toHaveLength(10_000)
    for (const index of [0, 1, 5000, 9998, 9999]) {
      expect(hashes[index]).toBe(blockAt(chain, last - 9999 + index).hash)
    }
  })

  test('eth_feeHistory over the edges of a range', async () => {
    const { call, chain } = await create()
    await call('hardhat_mine', COUNT)
    for (const newest of [1e6, 1e9 + 1002, 2100]) {
      const { oldestBlock, baseFeePerGas } = await call<{
        oldestBlock: Hex
        baseFeePerGas: Hex[]
      }>('eth_feeHistory', '0x400', hex(newest), [])
      expect(Number(oldestBlock)).toBe(newest - 1023)
      const numbers = Array.from({ length: 1024 }, (_, index) => newest - 1023 + index)
      expect(baseFeePerGas.slice(0, -1)).toEqual(
        numbers.map((number) => hex(blockAt(chain, number).header.baseFeePerGas ?? 0n)),
      )
    }
  })

  test('eth_getTransactionBySenderAndNonce finds what was before, between and behind', async () => {
    const { call, chain, account } = await create()
    await call('hardhat_mine', COUNT)
    const from = account(0).address
    const hash = await call('eth_sendTransaction', { from, to: CONTRACT })
    await call('hardhat_mine', COUNT)
    const numbers = [1, 1002, 1e9 + 1003]
    for (const [nonce, number] of numbers.entries()) {
      expect(await call('eth_getTransactionBySenderAndNonce', from, hex(nonce))).toMatchObject({
        hash: blockAt(chain, number).executed[0]?.transaction.hash,
        blockNumber: hex(number),
      })
    }
    expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ nonce: '0x2' })
    expect(await call('eth_getTransactionBySenderAndNonce', from, '0x3')).toBeNull()
  })

  test.each(['evm_mine', 'anvil_mine', 'hardhat_mine', 'preconf_advance'])('%s', async (method) => {
    for (const options of [{}, { instant: true }, { anvil: true }]) {
      const { call, chain } = await createRpcChain(options)
      const isNamed = method === 'evm_mine' || method === 'preconf_advance'
      await call(method, isNamed ? { blocks: 1e9 } : COUNT)
      expect(chain.head.number).toBe(1e9)
      expect(chain.history.entries()).toHaveLength(4)
      await call('evm_mine')
      expectAllLinked(chain)
    }
  })

  test('evm_mine_detailed lists at most 10,000 blocks', async () => {
    const { call, failure, chain } = await createRpcChain()
    const blocks = await call<FormattedBlock[]>('evm_mine_detailed', { blocks: 10_000 })
    expect(blocks.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index + 1),
    )
    expect(await failure('evm_mine_detailed', { blocks: 10_001 })).toEqual({
      code: -32602,
      message: '10001 blocks are too many for one answer, want at most 10000; evm_mine seals more',
    })
    expect(chain.head.number).toBe(10_000)
  })

  test('the contract of EIP-2935 knows the parents of sealed blocks only', async () => {
    const { call, chain } = await create()
    const history = '0x0000f90827f1c53a10cb7a02335b175320002935'
    const ask = (number: number) =>
      call('eth_call', { to: history, data: `0x${number.toString(16).padStart(64, '0')}` })
    // It knows the parents of the sealed ones, so the last reserved one, but not the first sealed.
    for (const number of [1, 1000, 1001]) {
      expect(await ask(number)).toBe(blockAt(chain, number).hash)
    }
    for (const number of [2, 3, 500, 999]) expect(await ask(number)).toBe(ZERO_HASH)
  })
})
