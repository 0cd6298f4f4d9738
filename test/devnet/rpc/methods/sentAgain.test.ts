import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain } from './rpcChain.ts'

/** A transaction that is sealed in block 1, whose sender's nonce a cheat has lowered. */
async function create(options = {}) {
  const node = await createRpcChain(options)
  const { call, account } = node
  const from = account(0).address
  const fields = { from, to: from, gas: '0x5208', nonce: '0x0' }
  const raw = await call<Hex>('eth_signTransaction', fields)
  const send = () => call<Hex>('eth_sendRawTransaction', raw)
  const hash = await send()
  const seal = async () => {
    await call('preconf_advance', { ticks: 1 })
    await call('preconf_seal')
  }
  await seal()
  await call('anvil_setNonce', from, '0x0')
  /** Number of the block that look-ups tell, and whether it has a hash. */
  const place = async () => {
    const receipt = await call<{ blockNumber: Hex; blockHash: Hex } | null>(
      'eth_getTransactionReceipt',
      hash,
    )
    return receipt && [receipt.blockNumber, BigInt(receipt.blockHash) > 0n]
  }
  return { ...node, from, hash, send, seal, place }
}

test('runs once more, and look-ups tell of its newest place', async () => {
  const { call, hash, place, seal, send } = await create()
  expect(await place()).toEqual(['0x1', true])
  expect(await send()).toBe(hash)
  expect(await place()).toBeNull()
  await call('preconf_advance', { ticks: 1 })
  expect(await place()).toEqual(['0x2', false])
  await seal()
  expect(await place()).toEqual(['0x2', true])
  const inBlock = (block: Hex) => call('eth_getTransactionByBlockNumberAndIndex', block, '0x0')
  expect(await inBlock('0x1')).toMatchObject({ hash, blockNumber: '0x1' })
  expect(await inBlock('0x2')).toMatchObject({ hash, blockNumber: '0x2' })
})

test('a revert and a rollback leave the place before', async () => {
  const { call, place, seal, send } = await create()
  const snapshot = await call('evm_snapshot')
  await send()
  await seal()
  await call('evm_revert', snapshot)
  expect(await place()).toEqual(['0x1', true])
  await send()
  await seal()
  expect(await place()).toEqual(['0x2', true])
  await call('anvil_rollback', 1)
  expect(await place()).toEqual(['0x1', true])
  await call('anvil_rollback', 1)
  expect(await place()).toBeNull()
})

test('the newest place stays once old blocks are forgotten', async () => {
  const { place, seal, send } = await create({ keepBlocks: 2 })
  await send()
  for (let block = 2; block <= 3; block++) await seal()
  expect(await place()).toEqual(['0x2', true])
  await seal()
  expect(await place()).toBeNull()
})

test('a saved chain has both', async () => {
  const { call, place, seal, send } = await create()
  await send()
  await seal()
  await call('anvil_loadState', await call('anvil_dumpState'))
  expect(await place()).toEqual(['0x2', true])
  expect(await call('eth_getBlockReceipts', '0x1')).toMatchObject([{ blockNumber: '0x1' }])
})

test('error: once the nonce is used again, it is too low', async () => {
  const { failure, send, seal, call, hash } = await create()
  await send()
  await seal()
  const raw = await call('eth_getRawTransactionByHash', hash)
  expect(await failure('eth_sendRawTransaction', raw)).toEqual({
    code: -32000,
    message: 'nonce too low: next nonce 1, tx nonce 0',
  })
})
