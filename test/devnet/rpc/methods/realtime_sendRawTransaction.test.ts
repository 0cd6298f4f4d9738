import { setImmediate as turn } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { ProfileName } from '../../../../devnet/options/optionTable.ts'
import { createRpcChain } from './rpcChain.ts'

async function create(profile: ProfileName) {
  const node = await createRpcChain({ profile })
  const signed = await privateKeyToAccount(node.account(0).privateKey).signTransaction({
    to: node.account(1).address,
    value: 1n,
    gas: 21_000n,
    gasPrice: 5_000_000_000n,
    nonce: 0,
    chainId: 31337,
  })
  return { ...node, signed }
}

test('the receipt of the mini-block, with the placeholder as block hash', async () => {
  const { call, chain, clocks, signed } = await create('megaeth')
  const receipt = call('realtime_sendRawTransaction', signed)
  while (chain.mempool.size === 0) await turn()
  await clocks.advanceTicks(1)
  expect(await receipt).toMatchObject({
    status: '0x1',
    blockNumber: '0x1',
    blockHash: `0x${'ff'.repeat(32)}`,
  })
})

test('error: a timeout', async () => {
  const { failure, signed } = await create('megaeth')
  expect(await failure('realtime_sendRawTransaction', signed, 1)).toEqual({
    code: -32000,
    message: 'realtime transaction expired',
  })
})

test('error: a transaction that is refused', async () => {
  const { failure } = await create('megaeth')
  expect(await failure('realtime_sendRawTransaction', '0x00')).toEqual(
    await failure('eth_sendRawTransactionSync', '0x00'),
  )
})

test('error: no other network has it', async () => {
  const { failure, signed } = await create('plain')
  expect(await failure('realtime_sendRawTransaction', signed)).toEqual({
    code: -32601,
    message: 'the method realtime_sendRawTransaction does not exist/is not available',
  })
})
