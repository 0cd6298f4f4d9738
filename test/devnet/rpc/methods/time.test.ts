import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { Status } from '../../../../devnet/types.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const status = ({ call }: RpcChain) => call<Status>('preconf_status')
const timestamps = ({ chain }: RpcChain, from = 1) => {
  const found: number[] = []
  for (let number = from; number <= chain.head.number; number++) {
    found.push(Number(chain.history.byNumber(number)?.header.timestamp) - START)
  }
  return found
}

test('default: evm_mine ticks, then seals', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const hash = await call('eth_sendTransaction', {
    from: account(0).address,
    to: account(1).address,
  })
  expect(await call('evm_mine')).toBe('0')
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    transactions: [hash],
  })
})

test('args: evm_mine with a timestamp, hexadecimal or not', async () => {
  const node = await createRpcChain()
  await node.call('evm_mine', hex(START + 100))
  await node.call('evm_mine', START + 200)
  await node.call('evm_mine', null)
  const [first, second, third] = timestamps(node)
  expect([first, second]).toEqual([100, 200])
  expect(third).toBeGreaterThan(200)
})

test('evm_mine with a timestamp that is too early seals nothing', async () => {
  const node = await createRpcChain()
  await node.call('evm_mine', START + 100)
  expect(await node.failure('evm_mine', START + 100)).toEqual({
    code: -32000,
    message: `Timestamp ${START + 100} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
  })
  expect(node.chain.head.number).toBe(1)
})

test('default: evm_setNextBlockTimestamp', async () => {
  const node = await createRpcChain()
  const { call, failure } = node
  expect(await call('evm_setNextBlockTimestamp', hex(START + 1000))).toBe(`${START + 1000}`)
  expect((await status(node)).pending.timestamp).toBe(START + 1000)
  await call('preconf_advance', { blocks: 2 })
  expect(timestamps(node)).toEqual([1000, 1002])
  expect(await failure('evm_setNextBlockTimestamp', '0x1')).toMatchObject({ code: -32000 })
  expect(await failure('evm_setNextBlockTimestamp', '0xffffffffffffffff')).toEqual({
    code: -32602,
    message:
      'timestamp 18446744073709551615 is too late: it is in seconds, and at most 8640000000000',
  })
})

test('default: evm_increaseTime', async () => {
  const node = await createRpcChain()
  const { call } = node
  expect(await call('evm_increaseTime', '0xe10')).toBe('3600')
  expect((await status(node)).pending.timestamp).toBe(START + 3600)
  expect(await call('evm_increaseTime', 10)).toBe('3610')
  await call('preconf_advance', { blocks: 2 })
  expect(timestamps(node)).toEqual([3610, 3614])
})

test.each(['preconf_seal', 'evm_mine', 'preconf_advance'])(
  'a block that opens within the second of the newest one, by %s, is as far behind it as asked',
  async (method) => {
    const node = await createRpcChain()
    const { call } = node
    await call(method, ...(method === 'preconf_advance' ? [{ blocks: 1 }] : []))
    const [newest = 0] = timestamps(node)
    await call('evm_increaseTime', 100)
    expect((await status(node)).pending.timestamp).toBe(START + newest + 100)
    // The next one adds to the choice, and one second is the least.
    await call('evm_increaseTime', 1)
    await call('evm_increaseTime', 0)
    await call('evm_mine')
    expect(timestamps(node).at(-1)).toBe(newest + 101)
    await call('evm_increaseTime', 0)
    expect((await status(node)).pending.timestamp).toBeGreaterThan(START + newest + 101)
  },
)

test.each([false, true])(
  'a timestamp that was given stays, and time goes there, instant: %s',
  async (instant) => {
    const node = await createRpcChain({ instant })
    const { call } = node
    await call('evm_setNextBlockTimestamp', START + 500)
    expect(await call('evm_increaseTime', 1000)).toBe('1000')
    expect((await status(node)).pending.timestamp).toBe(START + 500)
    await call('evm_mine')
    expect(timestamps(node)).toEqual([500])
    // The move ended with the block, as in EDR.
    await call('evm_mine')
    expect(timestamps(node)[1]).toBeLessThan(510)
  },
)

test('pre-confirmed transactions are sealed at their time, and the later block is the next', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const hash = await call('eth_sendTransaction', {
    from: account(0).address,
    to: account(1).address,
  })
  await call('preconf_advance', { ticks: 1 })
  await call('evm_increaseTime', 100)
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    timestamp: hex(START + 2),
    transactions: [hash],
  })
  expect((await status(node)).pending).toMatchObject({
    number: 2,
    timestamp: START + 102,
    transactions: [],
  })
})

test('default: hardhat_mine', async () => {
  const node = await createRpcChain()
  expect(await node.call('hardhat_mine')).toBe(true)
  expect(node.chain.head.number).toBe(1)
})

test('args: hardhat_mine count and interval', async () => {
  const node = await createRpcChain()
  expect(await node.call('hardhat_mine', '0x3')).toBe(true)
  expect(await node.call('hardhat_mine', '0x3', '0x3c')).toBe(true)
  const [first = 0, second, third, fourth = 0, fifth, sixth] = timestamps(node)
  expect([second, third]).toEqual([first + 1, first + 2])
  expect([fifth, sixth]).toEqual([fourth + 60, fourth + 120])
  // viem sends 0 where no interval is given.
  await node.call('hardhat_mine', '0x2', '0x0')
  const [seventh = 0, eighth] = timestamps(node, 7)
  expect(eighth).toBe(seventh + 1)
  expect(await node.call('hardhat_mine', '0x0')).toBe(true)
  expect(node.chain.head.number).toBe(8)
  expect(await node.failure('hardhat_mine', hex(2n ** 52n))).toEqual({
    code: -32602,
    message: expect.stringMatching(/^timestamp \d+ is too late: it is in seconds, and at most /),
  })
  expect(await node.failure('hardhat_mine', hex(2n ** 53n))).toEqual({
    code: -32602,
    message: '9007199254740992 blocks are too many: want no block number over 9007199254740991',
  })
  expect(node.chain.head.number).toBe(8)
  expect(await node.failure('hardhat_mine', '0x2', '0xffffffffffffffff')).toMatchObject({
    code: -32602,
  })
})

test('default: evm_snapshot and evm_revert', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const from = account(0).address
  const send = (nonce: Hex) => call<Hex>('eth_sendTransaction', { from, to: from, nonce })
  const preconfirmed = await send('0x0')
  await call('preconf_advance', { ticks: 1 })
  await send('0x5')
  const before = await status(node)
  expect(await call('evm_snapshot')).toBe('0x1')
  const gone = await send('0x1')
  await call('preconf_advance', { blocks: 3 })
  await call('preconf_freeze', { ticks: true })
  expect(await call('evm_snapshot')).toBe('0x2')
  expect(await call('evm_revert', '0x1')).toBe(true)
  expect(await status(node)).toEqual(before)
  expect(await call('eth_getTransactionByHash', gone)).toBeNull()
  expect(await call('eth_getTransactionByHash', preconfirmed)).toMatchObject({ blockNumber: '0x1' })
  // It and the later one are gone, and no id comes twice.
  expect(await call('evm_revert', '0x1')).toBe(false)
  expect(await call('evm_revert', '0x2')).toBe(false)
  expect(await call('evm_revert', '0xffffffffffffffff')).toBe(false)
  expect(await call('evm_snapshot')).toBe('0x3')
  expect(await call('evm_revert', 3)).toBe(true)
})

test('args: evm_mine with an object, as ganache and anvil have it', async () => {
  const node = await createRpcChain()
  expect(await node.call('evm_mine', { blocks: 2 })).toBe('0')
  await node.call('evm_mine', { timestamp: hex(START + 100), blocks: '0x3' })
  await node.call('evm_mine', { timestamp: START + 200 })
  await node.call('evm_mine', { blocks: 0 })
  expect(node.chain.head.number).toBe(6)
  const [third, fourth = 0, fifth, sixth] = timestamps(node, 3)
  expect([third, sixth]).toEqual([100, 200])
  expect(fifth).toBeGreaterThan(fourth)
  expect(await node.failure('evm_mine', { blocks: 1e13 })).toMatchObject({ code: -32602 })
})

test('default: evm_mine_detailed', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const contract = `0x${'c0'.repeat(20)}`
  // revert("nope")
  const code = '0x6308c379a060e01b5f5260206004526004602452636e6f706560e01b60445260645ffd'
  await call('hardhat_setCode', contract, code)
  const from = account(0).address
  const hashes = [
    await call('eth_sendTransaction', { from, to: from, gas: '0x5208' }),
    await call('eth_sendTransaction', { from, to: contract, gas: '0x186a0' }),
  ]
  const blocks = await call<{ hash: Hex; transactions: object[] }[]>('evm_mine_detailed', {
    blocks: 2,
  })
  expect(blocks.map(({ hash }) => hash)).toEqual([
    node.chain.history.byNumber(1)?.hash,
    node.chain.head.hash,
  ])
  expect(blocks[0]?.transactions).toMatchObject([
    { hash: hashes[0], from, blockNumber: '0x1', output: '0x' },
    { hash: hashes[1], output: expect.stringMatching(/^0x08c379a0/), revertReason: 'nope' },
  ])
  expect(blocks[0]?.transactions[0]).not.toHaveProperty('revertReason')
  expect(blocks[1]?.transactions).toEqual([])
  expect(await call('anvil_mine_detailed', { blocks: 0 })).toEqual([])
})

test('default: evm_setTime, in s or in ms', async () => {
  const node = await createRpcChain()
  const { call, failure } = node
  expect(await call('evm_setTime', START + 100)).toBe(100)
  expect((await status(node)).time).toBe((START + 100) * 1000)
  await call('evm_mine')
  expect(await call('evm_setTime', (START + 500) * 1000)).toBe(400)
  // Back, but not behind the newest block.
  expect(await call('evm_setTime', hex(START + 101))).toBe(0)
  await call('evm_mine')
  expect(timestamps(node)).toEqual([100, 101])
  expect(await failure('evm_setTime', START + 100)).toMatchObject({
    code: -32000,
    message: `Timestamp ${START + 100} is lower than the previous block's timestamp ${START + 101}`,
  })
})

test('evm_setTime and evm_increaseTime never execute a pre-confirmed transaction anew', async () => {
  const node = await createRpcChain()
  const { call, account } = node
  const contract = `0x${'c0'.repeat(20)}`
  // Stores the time: TIMESTAMP, PUSH0, SSTORE.
  await call('hardhat_setCode', contract, '0x425f55')
  const store = async () => {
    await call('eth_sendTransaction', { from: account(0).address, to: contract, gas: '0x186a0' })
    await call('preconf_advance', { ticks: 1 })
  }
  const stored = async () => Number(await call('eth_getStorageAt', contract, '0x0', 'pending'))
  await store()
  expect(await stored()).toBe(START + 2)
  await call('evm_setTime', START + 77)
  expect(await stored()).toBe(START + 2)
  await store()
  expect(await stored()).toBe(START + 77)
  await call('evm_increaseTime', 5)
  expect(await stored()).toBe(START + 77)
  await store()
  expect(await stored()).toBe(START + 82)
  await call('preconf_seal')
  expect(timestamps(node)).toEqual([2, 77, 82])
  expect((await status(node)).reexecuted).toEqual([])
})

test.each(['evm_setTime', 'evm_setNextBlockTimestamp', 'evm_mine'])(
  '%s to a time that is not after what is pre-confirmed seals nothing',
  async (method) => {
    const node = await createRpcChain()
    const { call, failure, account } = node
    const from = account(0).address
    for (let count = 0; count < 2; count++) {
      await call('eth_sendTransaction', { from, to: from })
    }
    await call('preconf_advance', { ticks: 1 })
    const before = await status(node)
    const late = START + 2
    expect(await failure(method, late)).toEqual({
      code: -32000,
      message: `block 1 holds 2 pre-confirmed transactions at ${late}: want a timestamp after ${late}`,
    })
    expect(await status(node)).toEqual(before)
    await call(method, late + 1)
    expect(node.chain.head.number).toBe(method === 'evm_mine' ? 2 : 1)
    expect((await status(node)).pending.timestamp).toBeGreaterThan(late)
  },
)

test('default: a timestamp interval, until it is removed', async () => {
  const node = await createRpcChain()
  const { call, failure } = node
  // In ms, as viem sends it to hardhat.
  expect(await call('hardhat_setBlockTimestampInterval', 10_000)).toBe(true)
  expect((await status(node)).pending.timestamp).toBe(START + 10)
  await call('preconf_advance', { blocks: 2 })
  await call('hardhat_mine', '0x2', '0x64')
  await call('evm_setNextBlockTimestamp', START + 100)
  await call('evm_mine')
  await call('evm_mine')
  expect(timestamps(node)).toEqual([10, 20, 30, 40, 100, 110])
  expect(await call('hardhat_removeBlockTimestampInterval')).toBe(true)
  expect(await call('hardhat_removeBlockTimestampInterval')).toBe(false)
  await call('evm_mine')
  expect(timestamps(node).at(-1)).not.toBe(120)
  expect(await failure('hardhat_setBlockTimestampInterval', 1500)).toMatchObject({ code: -32602 })
  expect(await failure('hardhat_setBlockTimestampInterval', 0)).toMatchObject({ code: -32602 })
  await call('anvil_setBlockTimestampInterval', 7)
  const before = timestamps(node).at(-1) ?? 0
  await call('evm_mine')
  expect(timestamps(node).at(-1)).toBe(before + 7)
})

test('args: allowBlocksWithSameTimestamp', async () => {
  const node = await createRpcChain({ allowBlocksWithSameTimestamp: true })
  const { call, failure } = node
  await call('evm_mine', START + 50)
  await call('evm_mine', START + 50)
  await call('evm_setNextBlockTimestamp', START + 50)
  await call('evm_mine')
  await call('hardhat_setBlockTimestampInterval', 0)
  await call('hardhat_mine', '0x2')
  await call('hardhat_removeBlockTimestampInterval')
  await call('evm_mine', START + 60)
  await call('evm_setNextBlockTimestamp', START + 60)
  await call('hardhat_mine', '0x3', '0x0')
  expect(timestamps(node)).toEqual([50, 50, 50, 50, 50, 60, 60, 60, 60])
  expect(await failure('evm_mine', START + 59)).toMatchObject({ code: -32000 })
})
