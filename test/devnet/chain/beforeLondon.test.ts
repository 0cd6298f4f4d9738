import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { START } from '../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { createRpcChain, hex } from '../rpc/methods/rpcChain.ts'

const TO: Hex = `0x${'dd'.repeat(20)}`

describe('before London', () => {
  const { londonBlock, ...config } = BLOCK_FORKS

  async function startBerlin() {
    const genesis = genesisOf({ ...config, londonBlock: 3 }, { timestamp: hex(START - 10) })
    return createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
  }

  test('default: an unlocked account sends what the hardfork knows', async () => {
    const node = await startBerlin()
    const { address } = node.account(0)
    const hash = await node.call('eth_sendTransaction', { from: address, to: TO, value: '0x1' })
    await node.clocks.advanceBlocks(1)
    expect(await node.call('eth_getTransactionByHash', hash)).toMatchObject({ type: '0x0' })
    expect(
      await node.failure('eth_sendTransaction', { from: address, to: TO, maxFeePerGas: '0x1' }),
    ).toEqual({
      code: -32000,
      message: 'transaction type not supported: type 2 under hardfork berlin',
    })
  })

  test('calls without fees run, also with an access list', async () => {
    const node = await startBerlin()
    expect(await node.call('eth_call', { to: TO }, 'latest')).toBe('0x')
    const accessList = [{ address: TO, storageKeys: [] }]
    expect(await node.call('eth_call', { to: TO, accessList }, 'latest')).toBe('0x')
    expect(await node.call('eth_estimateGas', { to: TO })).toBe('0x5208')
  })

  test('eth_feeHistory across London', async () => {
    const node = await startBerlin()
    await node.clocks.advanceBlocks(4)
    const { baseFeePerGas, baseFeePerBlobGas } = await node.call<Record<string, Hex[]>>(
      'eth_feeHistory',
      '0x4',
      '0x4',
    )
    expect(baseFeePerGas?.slice(0, 4)).toEqual(['0x0', '0x0', '0x3b9aca00', '0x342770c0'])
    expect(baseFeePerGas).toHaveLength(5)
    expect(baseFeePerBlobGas).toEqual(Array.from({ length: 5 }, () => '0x0'))
    const older = await node.call<Record<string, Hex[]>>('eth_feeHistory', '0x1', '0x2')
    expect(older.baseFeePerGas).toEqual(['0x0', '0x3b9aca00'])
  })

  test('before EIP-155 no chain is signed for', async () => {
    const genesis = genesisOf({ homesteadBlock: 0 }, { timestamp: hex(START - 10) })
    const node = await createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
    const { address } = node.account(0)
    const hash = await node.call('eth_sendTransaction', { from: address, to: TO })
    await node.clocks.advanceBlocks(1)
    const transaction = await node.call<Record<string, unknown>>('eth_getTransactionByHash', hash)
    expect(transaction.v).toMatch(/^0x1[bc]$/)
    expect(transaction).not.toHaveProperty('chainId')
    const receipt = await node.call<object>('eth_getTransactionReceipt', hash)
    expect(receipt).toHaveProperty('root')
    expect(receipt).not.toHaveProperty('status')
  })
})
