import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { Status } from '../../../../devnet/types.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, SLOW_CLOCKS } from './rpcChain.ts'

const ADDRESS: Hex = `0x${'ab'.repeat(20)}`

test('default: everything is as at the start', async () => {
  const { call, account, chain } = await createRpcChain()
  const from = account(0).address
  const send = (nonce: Hex) => call<Hex>('eth_sendTransaction', { from, to: ADDRESS, nonce })
  const before = await call<Status>('preconf_status')
  const genesis = chain.head.hash
  const [sealed] = [await send('0x0'), await call('evm_mine')]
  await send('0x1')
  await call('preconf_advance', { ticks: 1 })
  await send('0x2')
  await send('0x9')
  await call('hardhat_setBalance', ADDRESS, hex(10n ** 20n))
  await call('hardhat_setCoinbase', ADDRESS)
  await call('hardhat_impersonateAccount', ADDRESS)
  await call('hardhat_setChainId', 5)
  await call('evm_setBlockGasLimit', 30_000_000)
  await call('hardhat_setBlockTimestampInterval', 9000)
  await call('evm_setNextBlockTimestamp', START + 5000)
  await call('evm_setAutomine', true)
  const snapshot = await call<Hex>('evm_snapshot')

  expect(await call('hardhat_reset')).toBe(true)
  const after = await call<Status>('preconf_status')
  // Whoever polls sees that it has begun anew.
  expect(after.instanceId).not.toBe(before.instanceId)
  expect(after).toEqual({ ...before, instanceId: after.instanceId })
  expect(chain.head.hash).toBe(genesis)
  expect(await call('eth_chainId')).toBe('0x7a69')
  expect(await call('eth_getBalance', ADDRESS)).toBe('0x0')
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x0')
  expect(await call('eth_getTransactionReceipt', sealed)).toBeNull()
  expect(await call('eth_getTransactionByHash', sealed)).toBeNull()
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  expect(await call('eth_getBlockByNumber', 'pending')).toMatchObject({ gasLimit: hex(60_000_000) })
  expect(chain.settings.impersonated.size).toBe(0)
  expect(await call('hardhat_getAutomine')).toBe(false)
  // Its snapshots are gone, and their ids are not given again.
  expect(await call('evm_revert', snapshot)).toBe(false)
  expect(Number(await call('evm_snapshot'))).toBeGreaterThan(Number(snapshot))
})

test('equal commands after it give equal blocks', async () => {
  const { call, account, chain } = await createRpcChain()
  const run = async () => {
    const from = account(0).address
    await call('eth_sendTransaction', { from, to: ADDRESS, value: '0x1' })
    await call('hardhat_mine', '0x3', '0x10')
    return chain.head.hash
  }
  const first = await run()
  await call('hardhat_reset')
  expect(await run()).toBe(first)
})

test('another instance, so that ignition deploys anew', async () => {
  const { call } = await createRpcChain()
  const instances = new Set<Hex>()
  for (let count = 0; count < 3; count++) {
    instances.add((await call<{ instanceId: Hex }>('hardhat_metadata')).instanceId)
    await call('hardhat_reset')
  }
  expect(instances.size).toBe(3)
  for (const instance of instances) expect(instance).toMatch(/^0x[0-9a-f]{64}$/)
})

test('time that follows the wall clock goes on doing so', async () => {
  const { clocks, call } = await createRpcChain({ ...SLOW_CLOCKS, timestamp: undefined })
  await call('evm_increaseTime', 86_400)
  await call('hardhat_reset')
  expect(Math.abs(clocks.now - Date.now())).toBeLessThan(5_000)
  const given = await createRpcChain({ ...SLOW_CLOCKS, timestamp: START })
  await given.call('evm_increaseTime', 86_400)
  await given.call('hardhat_reset')
  expect(given.clocks.now - START * 1000).toBeLessThan(5_000)
})

test('forms without anything to fork from', async () => {
  const { call } = await createRpcChain()
  // viem sends the last one.
  for (const given of [{}, null, { forking: {} }, { forking: { blockNumber: null } }]) {
    await call('evm_mine')
    expect(await call('hardhat_reset', given)).toBe(true)
    expect(await call('eth_blockNumber')).toBe('0x0')
  }
})

test.each<[forking: object, code: number, message: string | RegExp]>([
  [{ blockNumber: 5 }, -32000, '"forking" needs "jsonRpcUrl": this chain is not a fork'],
  [{ jsonRpcUrl: 'ws://host/secret' }, -32602, 'jsonRpcUrl must be an http or https URL.'],
  [{ jsonRpcUrl: 7 }, -32602, 'jsonRpcUrl must be an http or https URL.'],
  [
    { jsonRpcUrl: 'http://127.0.0.1:1/secret', blockNumber: 'earliest' },
    -32602,
    'blockNumber must be a block number, a block hash or one of latest, safe, finalized, pending, not "earliest".',
  ],
  [
    { jsonRpcUrl: 'http://127.0.0.1:1/secret', httpHeaders: { 'X Key': 'secret' } },
    -32602,
    'httpHeaders must be a list of HTTP headers, such as "Authorization: Bearer key".',
  ],
  [
    { jsonRpcUrl: 'http://127.0.0.1:1/secret', blockNumber: 5 },
    -32000,
    /^http:\/\/127\.0\.0\.1:1 /,
  ],
])('forking %j is refused, and nothing is lost', async (forking, code, message) => {
  const { call, failure } = await createRpcChain()
  await call('evm_mine')
  const error = (await failure('hardhat_reset', { forking })) as { code: number; message: string }
  expect(error.code).toBe(code)
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('secret')
  expect(await call('eth_blockNumber')).toBe('0x1')
})

test('anvil_setRpcUrl without a fork', async () => {
  const { failure } = await createRpcChain()
  expect(await failure('anvil_setRpcUrl', 'http://127.0.0.1:1/secret')).toEqual({
    code: -32000,
    message: 'this chain is not a fork: call hardhat_reset with "forking" first',
  })
  expect(await failure('anvil_setRpcUrl', 'secret')).toEqual({
    code: -32602,
    message: 'invalid argument 0: want an http or https URL',
  })
})

test('refused once the first block is not kept any more', async () => {
  const { call, failure } = await createRpcChain({ keepBlocks: 3 })
  await call('hardhat_setBalance', ADDRESS, '0x1')
  await call('hardhat_mine', '0x2')
  expect(await call('hardhat_reset')).toBe(true)
  expect(await call('eth_getBalance', ADDRESS)).toBe('0x0')
  await call('hardhat_mine', '0x5')
  expect(await failure('hardhat_reset')).toEqual({
    code: -32000,
    message:
      'The first block of this node is not kept any more, so it cannot be reset; start with a larger --keep-blocks, or with 0 to keep all',
  })
  expect(await call('eth_blockNumber')).toBe('0x5')
})
