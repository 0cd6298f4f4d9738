import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createRpcChain, INSTANCE } from './rpcChain.ts'

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
)

test('default: what does not change', async () => {
  const { call, accounts } = await createRpcChain({ accounts: 2 })
  expect({
    clientVersion: await call('web3_clientVersion'),
    sha3: await call('web3_sha3', '0x68656c6c6f20776f726c64'),
    netVersion: await call('net_version'),
    listening: await call('net_listening'),
    chainId: await call('eth_chainId'),
    syncing: await call('eth_syncing'),
    accounts: await call('eth_accounts'),
    tip: await call('eth_maxPriorityFeePerGas'),
    automine: await call('hardhat_getAutomine'),
  }).toEqual({
    clientVersion: expect.stringContaining(`HardhatPendingNode/${manifest.version}/`),
    sha3: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
    netVersion: '31337',
    listening: true,
    chainId: '0x7a69',
    syncing: false,
    accounts: accounts.map(({ address }) => address),
    tip: '0x3b9aca00',
    automine: false,
  })
})

test('the name of the node says what executes', async () => {
  const executors = { fast: 'fast', library: '@ethereumjs/vm/10.1.3' } as const
  for (const engine of ['fast', 'library'] as const) {
    const { call } = await createRpcChain({ engine })
    expect(await call('web3_clientVersion')).toBe(
      `HardhatPendingNode/${manifest.version}/${executors[engine]}`,
    )
  }
})

test('hardhat-network-helpers know the node by its name', async () => {
  const { call } = await createRpcChain()
  expect((await call<string>('web3_clientVersion')).toLowerCase()).toMatch(/^hardhat/)
})

test('args: chainId', async () => {
  const { call } = await createRpcChain({ chainId: 84_532 })
  expect([await call('eth_chainId'), await call('net_version')]).toEqual(['0x14a34', '84532'])
})

test('default: eth_blockNumber counts sealed blocks only', async () => {
  const { call, account } = await createRpcChain()
  await call('eth_sendTransaction', { from: account(0).address, to: account(1).address })
  await call('preconf_advance', { ticks: 1 })
  expect(await call('eth_blockNumber')).toBe('0x0')
  await call('preconf_seal')
  expect(await call('eth_blockNumber')).toBe('0x1')
})

test('default: fees are those of the pending block', async () => {
  const { call } = await createRpcChain({ baseFee: 8_000_000_000n })
  const fees = async () => [
    await call('eth_baseFee'),
    await call('eth_gasPrice'),
    await call('eth_blobBaseFee'),
  ]
  // An empty block before it takes an eighth off.
  expect(await fees()).toEqual(['0x1a13b8600', '0x1dcd65000', '0x1'])
  await call('hardhat_setNextBlockBaseFeePerGas', '0x5')
  expect(await fees()).toEqual(['0x5', '0x3b9aca05', '0x1'])
})

test('args: hardfork without blobs', async () => {
  const { call } = await createRpcChain({ hardfork: 'london' })
  expect(await call('eth_blobBaseFee')).toBe('0x0')
})

test('default: eth_coinbase follows hardhat_setCoinbase', async () => {
  const { call, account } = await createRpcChain()
  expect(await call('eth_coinbase')).toBe('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e')
  await call('hardhat_setCoinbase', account(3).address)
  expect(await call('eth_coinbase')).toBe(account(3).address)
})

test('default: hardhat_metadata', async () => {
  const { call, chain } = await createRpcChain()
  await call('evm_mine')
  expect(await call('hardhat_metadata')).toEqual({
    clientVersion: await call('web3_clientVersion'),
    chainId: 31_337,
    instanceId: INSTANCE,
    latestBlockNumber: 1,
    latestBlockHash: chain.head.hash,
  })
})
