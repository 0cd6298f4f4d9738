import { expect, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import { type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import type { Uncle } from '../../../../devnet/protocol/block.ts'
import { encodeHeader } from '../../../../devnet/protocol/header.ts'
import { createRpcChain, hex, ZERO_HASH } from './rpcChain.ts'

const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

/** What only the body of a block has. */
const BODY = ['size', 'transactions', 'uncles', 'withdrawals']

test('default: headers are blocks without a body', async () => {
  const { call, account, chain } = await createRpcChain()
  await call('eth_sendTransaction', { to: account(1).address })
  await call('preconf_advance', { blocks: 1 })
  await call('eth_sendTransaction', { to: account(1).address })
  await call('preconf_advance', { ticks: 1 })
  const header = async (reference: unknown) => {
    const block = await call<FormattedBlock>('eth_getBlockByNumber', reference)
    return Object.fromEntries(Object.entries(block).filter(([name]) => !BODY.includes(name)))
  }
  for (const reference of ['earliest', 'latest', 'pending', 'safe', '0x1']) {
    expect(await call('eth_getHeaderByNumber', reference)).toEqual(await header(reference))
  }
  expect(await call('eth_getHeaderByNumber', 'pending')).toMatchObject({
    number: '0x2',
    hash: ZERO_HASH,
    parentHash: chain.head.hash,
  })
  expect(await call('eth_getHeaderByHash', chain.head.hash)).toEqual(await header('latest'))
  expect(await call('eth_getHeaderByNumber', '0x2')).toBeNull()
  expect(await call('eth_getHeaderByHash', UNKNOWN)).toBeNull()
})

test('default: blocks of this node have no uncles', async () => {
  const { call, chain } = await createRpcChain()
  for (const reference of ['latest', 'pending', '0x0']) {
    expect(await call('eth_getUncleCountByBlockNumber', reference)).toBe('0x0')
    expect(await call('eth_getUncleByBlockNumberAndIndex', reference, '0x0')).toBeNull()
  }
  expect(await call('eth_getUncleCountByBlockHash', chain.head.hash)).toBe('0x0')
  expect(await call('eth_getUncleByBlockHashAndIndex', chain.head.hash, '0x0')).toBeNull()
  expect(await call('eth_getUncleCountByBlockNumber', '0x1')).toBeNull()
  expect(await call('eth_getUncleCountByBlockHash', UNKNOWN)).toBeNull()
  expect(await call('eth_getUncleByBlockNumberAndIndex', '0x1', '0x0')).toBeNull()
  expect(await call('eth_getUncleByBlockHashAndIndex', UNKNOWN, '0x0')).toBeNull()
})

test('uncles of an imported block', async () => {
  const { call, chain, engine } = await createRpcChain()
  const makeUncle = (fill: number): Uncle => {
    const header = { ...chain.head.header, coinbase: new Uint8Array(20).fill(fill) }
    return { header, hash: toHex(engine.crypto.keccak256(encodeHeader(header))) }
  }
  const uncles = [makeUncle(1), makeUncle(2)]
  chain.history.push({ ...chain.head, number: 1, hash: UNKNOWN, uncles })
  const parent = await call<FormattedBlock>('eth_getBlockByNumber', '0x0')
  const { transactions: _, ...shape } = parent
  for (const [index, { hash }] of uncles.entries()) {
    const uncle = await call('eth_getUncleByBlockNumberAndIndex', '0x1', hex(index))
    expect(uncle).toEqual({ ...shape, hash, miner: `0x0${index + 1}`.padEnd(42, `0${index + 1}`) })
    expect(await call('eth_getUncleByBlockHashAndIndex', UNKNOWN, hex(index))).toEqual(uncle)
  }
  expect(await call('eth_getUncleByBlockNumberAndIndex', '0x1', '0x2')).toBeNull()
  expect(await call('eth_getUncleCountByBlockNumber', '0x1')).toBe('0x2')
  expect(await call('eth_getUncleCountByBlockHash', UNKNOWN)).toBe('0x2')
})

/** Account 0 has sent three: one is sealed, one pre-confirmed, one waits; and one more waits behind a gap. */
async function createWithThree() {
  const node = await createRpcChain()
  const from = node.account(0).address
  const send = (fields: object = {}) =>
    node.call<Hex>('eth_sendTransaction', { from, to: node.account(1).address, ...fields })
  const sealed = await send()
  await node.call('preconf_advance', { blocks: 4 })
  const preconfirmed = await send()
  await node.call('preconf_advance', { ticks: 1 })
  return {
    ...node,
    from,
    hashes: [sealed, preconfirmed, await send()],
    gap: await send({ nonce: '0x9' }),
  }
}

test('default: raw transactions by index', async () => {
  const { call, hashes, chain } = await createWithThree()
  const raws = await Promise.all(hashes.map((hash) => call('eth_getRawTransactionByHash', hash)))
  const hash = chain.history.byNumber(1)?.hash
  expect(await call('eth_getRawTransactionByBlockNumberAndIndex', '0x1', '0x0')).toBe(raws[0])
  expect(await call('eth_getRawTransactionByBlockHashAndIndex', hash, '0x0')).toBe(raws[0])
  expect(await call('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0')).toBe(raws[1])
  for (const [reference, index] of [
    ['0x1', '0x1'],
    ['pending', '0xffffffffffffffff'],
    ['0x99', '0x0'],
  ]) {
    expect(await call('eth_getRawTransactionByBlockNumberAndIndex', reference, index)).toBeNull()
  }
  expect(await call('eth_getRawTransactionByBlockHashAndIndex', UNKNOWN, '0x0')).toBeNull()
})

test('default: transactions by sender and nonce, sealed, pre-confirmed and waiting', async () => {
  const { call, from, account, hashes, gap } = await createWithThree()
  for (const [nonce, hash] of [...hashes.entries(), [9, gap] as const]) {
    const found = await call('eth_getTransactionBySenderAndNonce', from, hex(nonce))
    expect(found).toMatchObject({ hash, from, nonce: hex(nonce) })
    expect(found).toEqual(await call('eth_getTransactionByHash', hash))
    expect(await call('eth_getTransactionBySenderAndNonce', from, nonce)).toEqual(found)
  }
  expect(await call('eth_getTransactionBySenderAndNonce', from, '0x3')).toBeNull()
  expect(await call('eth_getTransactionBySenderAndNonce', account(1).address, '0x0')).toBeNull()
  expect(await call('eth_getTransactionBySenderAndNonce', `0x${'ab'.repeat(20)}`, '0x0')).toBeNull()
})

test('by sender and nonce over many blocks, with cheats and blocks that are not kept', async () => {
  const { call, account } = await createRpcChain({ keepBlocks: 12 })
  const from = account(0).address
  const hashes: string[] = []
  for (let index = 0; index < 20; index++) {
    for (let count = 0; count < index % 3; count++) {
      hashes.push(await call('eth_sendTransaction', { from, to: from }))
    }
    await call('preconf_advance', { blocks: 1 })
  }
  const found = async (nonce: number) =>
    (await call<{ hash: string } | null>('eth_getTransactionBySenderAndNonce', from, nonce))?.hash
  const kept = await Promise.all(
    hashes.map(async (hash) =>
      (await call('eth_getTransactionByHash', hash)) === null ? undefined : hash,
    ),
  )
  expect(kept.filter((hash) => hash !== undefined).length).toBeGreaterThan(8)
  expect(kept).toContain(undefined)
  expect(await Promise.all(hashes.map((_, nonce) => found(nonce)))).toEqual(kept)
  await call('hardhat_setNonce', from, hex(hashes.length + 5))
  await call('preconf_advance', { blocks: 1 })
  // Used up by a cheat.
  expect(await found(hashes.length + 2)).toBeUndefined()
  expect(await found(hashes.length - 1)).toBe(hashes.at(-1))
})
