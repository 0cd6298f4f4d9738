import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createPublicClient, custom, hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../devnet/index.ts'
import { EXECUTOR, EXECUTOR_CODE, UPGRADED } from '../../../devnet/wallet/core/batchExecutor.ts'
import type { WalletOptions } from '../../../devnet/wallet/index.ts'
import { ALICE, BOB, DAPP, startWallet } from './support.ts'

const FROZEN = { frozen: true, frozenTicks: true }
const FAILS: Hex = `0x${'fa'.repeat(20)}`

const batch = (fields: object = {}) => ({
  version: '2.0.0',
  chainId: '0x7a69',
  from: ALICE,
  atomicRequired: true,
  id: 'one',
  calls: [
    { to: BOB, value: '0x1' },
    { to: BOB, value: '0x2' },
  ],
  ...fields,
})

async function start(options: WalletOptions, node = {}) {
  const started = await startWallet(options, { ...FROZEN, ...node })
  const { ask, devnet } = started
  await ask('eth_requestAccounts')
  const rpc = async <Answer>(method: string, ...params: unknown[]) =>
    // The caller knows the form of the answer.
    (await devnet.provider.request({ method, params })) as Answer
  return {
    ...started,
    rpc,
    atomic: async (origin?: string) => {
      if (origin !== undefined) await ask('eth_requestAccounts', [], origin)
      const { result } = await ask('wallet_getCapabilities', [ALICE], origin)
      return (result as Record<string, { atomic: { status: string } }>)['0x7a69']?.atomic.status
    },
    status: () => ask('wallet_getCallsStatus', ['one']),
  }
}

test('the executor is what solc makes of its source', () => {
  const file = new URL('../../../devnet/wallet/core/BatchExecutor.sol', import.meta.url)
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const settings = {
    evmVersion: 'prague',
    optimizer: { enabled: true },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
  }
  const sources = { 'BatchExecutor.sol': { content: readFileSync(file, 'utf8') } }
  const output = JSON.parse(
    solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  )
  const { BatchExecutor } = output.contracts['BatchExecutor.sol']
  expect(EXECUTOR_CODE).toBe(`0x${BatchExecutor.evm.deployedBytecode.object}`)
})

describe('supported', () => {
  test('sends one transaction, in which the account is upgraded', async () => {
    const { ask, atomic, devnet, rpc, status } = await start({ atomic: 'supported' })
    expect(await atomic()).toBe('supported')
    expect(await ask('wallet_sendCalls', [batch()])).toEqual({ result: { id: 'one' } })
    expect(await status()).toMatchObject({ result: { status: 100, atomic: true } })
    await devnet.clock.advance({ ticks: 1 })
    const zeros = `0x${'0'.repeat(64)}`
    expect(await status()).toMatchObject({
      result: { status: 200, atomic: true, receipts: [{ status: '0x1', blockHash: zeros }] },
    })
    expect(await rpc('eth_getCode', ALICE, 'pending')).toBe(UPGRADED)
    expect(await rpc('eth_getCode', EXECUTOR, 'pending')).toBe(EXECUTOR_CODE)
    const { latest } = await devnet.clock.seal()
    const { transactions } = await rpc<{ transactions: { type: Hex; from: Hex; to: Hex }[] }>(
      'eth_getBlockByNumber',
      'latest',
      true,
    )
    expect(transactions).toMatchObject([{ type: '0x4', from: ALICE, to: ALICE }])
    expect(await status()).toMatchObject({ result: { receipts: [{ blockHash: latest.hash }] } })
    // The next one needs no upgrade.
    await ask('wallet_sendCalls', [batch({ id: 'two' })])
    await devnet.clock.advance({ blocks: 1 })
    expect(await rpc('eth_getBlockByNumber', 'latest', true)).toMatchObject({
      transactions: [{ type: '0x2', from: ALICE }],
    })
    expect(BigInt(await rpc('eth_getBalance', BOB, 'latest')) - 10n ** 22n).toBe(6n)
  })

  test('all calls happen, or none', async () => {
    const { ask, devnet, rpc, status } = await start({ atomic: 'supported' })
    // The second call fails once a slot is set.
    await rpc('hardhat_setCode', FAILS, '0x5f5415600757fe5b00')
    const calls = [{ to: BOB, value: '0x5' }, { to: FAILS }]
    await ask('wallet_sendCalls', [batch({ calls })])
    await rpc('hardhat_setStorageAt', FAILS, '0x0', `0x${'0'.repeat(63)}1`)
    await devnet.clock.advance({ blocks: 1 })
    expect(await status()).toMatchObject({
      result: { status: 500, atomic: true, receipts: [{ status: '0x0' }] },
    })
    expect(await rpc('eth_getBalance', BOB, 'latest')).toBe('0x21e19e0c9bab2400000')
  })

  test.each(['upgrade', 'upgraded account'])(
    'in instant mode, none happen of an %s',
    async (of) => {
      const instant = { instant: true, frozen: false, frozenTicks: false }
      const { ask, rpc, status } = await start({ atomic: 'supported' }, instant)
      if (of !== 'upgrade') await ask('wallet_sendCalls', [batch({ id: 'before' })])
      const before = await rpc('eth_getBalance', BOB, 'latest')
      await rpc('hardhat_setCode', FAILS, '0xfe')
      const calls = [{ to: BOB, value: '0x5' }, { to: FAILS }]
      expect(await ask('wallet_sendCalls', [batch({ calls })])).toEqual({ result: { id: 'one' } })
      expect(await status()).toMatchObject({
        result: { status: 500, atomic: true, receipts: [{ status: '0x0' }] },
      })
      expect(await rpc('eth_getBalance', BOB, 'latest')).toBe(before)
    },
  )

  test('calls that need not be atomic are, too; creations are sent one by one', async () => {
    const { ask, devnet, rpc } = await start({ atomic: 'supported' })
    await ask('wallet_sendCalls', [batch({ atomicRequired: false })])
    const calls = [{ data: '0x5f5ff3' }, { to: BOB, value: '0x1' }]
    await ask('wallet_sendCalls', [batch({ id: 'two', atomicRequired: false, calls })])
    await devnet.clock.advance({ blocks: 2 })
    expect(await ask('wallet_getCallsStatus', ['one'])).toMatchObject({ result: { atomic: true } })
    expect(await ask('wallet_getCallsStatus', ['two'])).toMatchObject({
      result: { status: 200, atomic: false, receipts: [{}, {}] },
    })
    expect(await ask('wallet_sendCalls', [batch({ id: 'three', calls })])).toMatchObject({
      error: { code: 5760, message: expect.stringContaining('cannot create contracts atomically') },
    })
    expect(await rpc('eth_getTransactionCount', ALICE, 'latest')).toBe('0x4')
  })

  test('batches at the same time get nonces that hold', async () => {
    const { ask, devnet, rpc } = await start({ atomic: 'supported' })
    await Promise.all(['one', 'two', 'three'].map((id) => ask('wallet_sendCalls', [batch({ id })])))
    await devnet.clock.advance({ blocks: 4 })
    for (const id of ['one', 'two', 'three']) {
      expect(await ask('wallet_getCallsStatus', [id])).toMatchObject({ result: { status: 200 } })
    }
    expect(BigInt(await rpc('eth_getBalance', BOB, 'latest')) - 10n ** 22n).toBe(9n)
  })

  test.each([
    ['behind', ['batch', ...Array<string>(8).fill('send')]],
    ['before', [...Array<string>(8).fill('send'), 'batch']],
    ['between', ['send', 'batch', 'send', 'batch', 'send', 'send', 'send']],
  ])('transactions at the same time as the upgrade get nonces that hold: %s', async (_, kinds) => {
    const { ask, devnet, rpc } = await start({ atomic: 'supported' })
    const answers = await Promise.all(
      kinds.map((kind, index) =>
        kind === 'send'
          ? ask('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x3' }])
          : ask('wallet_sendCalls', [batch({ id: `batch ${index}` })]),
      ),
    )
    for (const answer of answers) expect(answer).toHaveProperty('result')
    await devnet.clock.advance({ blocks: kinds.length })
    expect(BigInt(await rpc('eth_getBalance', BOB, 'latest')) - 10n ** 22n).toBe(
      BigInt(kinds.length * 3),
    )
  })

  test('an upgraded account still gets ether and signs for itself', async () => {
    const { ask, devnet, rpc } = await start({ atomic: 'supported' })
    await ask('wallet_sendCalls', [batch()])
    await devnet.clock.advance({ blocks: 1 })
    await rpc('eth_sendTransaction', { from: BOB, to: ALICE, value: '0x7' })
    await devnet.clock.advance({ blocks: 1 })
    const newest = await rpc<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest', false)
    expect(await rpc('eth_getTransactionReceipt', newest.transactions[0])).toMatchObject({
      status: '0x1',
    })
    const client = createPublicClient({ chain: hardhat, transport: custom(devnet.provider) })
    const [alice, bob] = devnet.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
    const verify = async (signer: typeof alice) => {
      const signature = await signer?.signMessage({ message: 'hello' })
      const args = [hashMessage('hello'), signature ?? '0x'] as const
      return await client.readContract({
        address: ALICE,
        abi: [
          {
            type: 'function',
            name: 'isValidSignature',
            stateMutability: 'view',
            inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
            outputs: [{ type: 'bytes4' }],
          },
        ],
        functionName: 'isValidSignature',
        args,
      })
    }
    expect(await verify(alice)).toBe('0x1626ba7e')
    expect(await verify(bob)).toBe('0xffffffff')
    // Nobody else executes calls of it.
    const data = `0x3f707e6b${'20'.padStart(64, '0')}${'0'.repeat(64)}`
    await expect(rpc('eth_call', { from: BOB, to: ALICE, data }, 'latest')).rejects.toThrow(
      /revert/,
    )
  })
})

describe('ready', () => {
  test('asks to upgrade, then to send; afterwards it is supported', async () => {
    const { ask, atomic, devnet, wallet } = await start({ atomic: 'ready' })
    expect(await atomic()).toBe('ready')
    await wallet.policy({ default: 'hold' })
    const asked = ask('wallet_sendCalls', [batch()])
    const upgrade = await wallet.waitFor({ method: 'wallet_sendCalls' })
    expect(upgrade.summary.title).toBe('Upgrade the account')
    await wallet.approve(upgrade.id)
    await expect.poll(async () => (await wallet.pending())[0]?.summary.title).toBe('Send 2 calls')
    const [send] = await wallet.pending()
    expect(send?.summary.fields).toContainEqual({
      label: 'Together',
      value: 'All calls happen, or none',
    })
    await wallet.approve(send?.id ?? '')
    expect(await asked).toEqual({ result: { id: 'one' } })
    await devnet.clock.advance({ blocks: 1 })
    expect(await atomic()).toBe('supported')
  })

  test('error 5750 if the upgrade is refused, 4001 if the calls are', async () => {
    const { ask, wallet, rpc } = await start({ atomic: 'ready' })
    const add = { method: 'wallet_sendCalls', decision: 'reject', times: 1 } as const
    await wallet.policy({ add })
    expect(await ask('wallet_sendCalls', [batch()])).toMatchObject({
      error: { code: 5750, message: expect.stringContaining('rejected the upgrade') },
    })
    await wallet.policy({ add: { ...add, decision: 'approve' } })
    await wallet.policy({ add })
    expect(await ask('wallet_sendCalls', [batch()])).toMatchObject({ error: { code: 4001 } })
    expect(await rpc('eth_getCode', ALICE, 'pending')).toBe('0x')
  })

  test('calls that need not be atomic are sent one by one, without an upgrade', async () => {
    const { ask, devnet, status } = await start({ atomic: 'ready' })
    await ask('wallet_sendCalls', [batch({ atomicRequired: false })])
    await devnet.clock.advance({ blocks: 1 })
    expect(await status()).toMatchObject({
      result: { status: 200, atomic: false, receipts: [{}, {}] },
    })
  })
})

describe('unsupported', () => {
  const REFUSED = {
    error: {
      code: 5760,
      message: 'The wallet cannot execute calls atomically: set atomicRequired to false',
    },
  }

  test.each<[string, WalletOptions, object]>([
    ['by default', {}, {}],
    ['before Prague', { atomic: 'supported' }, { hardfork: 'cancun' }],
  ])('%s', async (_name, options, node) => {
    const { ask, atomic } = await start(options, node)
    expect(await atomic()).toBe('unsupported')
    expect(await ask('wallet_sendCalls', [batch()])).toEqual(REFUSED)
  })

  test('for an account that is delegated to other code', async () => {
    const { ask, atomic, rpc } = await start({ atomic: 'supported' })
    await rpc('hardhat_setCode', ALICE, `0xef0100${'ab'.repeat(20)}`)
    expect(await atomic()).toBe('unsupported')
    expect(await ask('wallet_sendCalls', [batch()])).toEqual(REFUSED)
  })
})

test('the policy says it by chain and origin, and the newest rule counts', async () => {
  const { atomic, wallet } = await start({})
  await wallet.policy({ atomic: 'ready' })
  expect(await atomic()).toBe('ready')
  await wallet.policy({ atomic: { status: 'supported', origin: DAPP } })
  await wallet.policy({ atomic: { status: 'unsupported', chainId: '0x1' } })
  expect([await atomic(), await atomic(DAPP)]).toEqual(['ready', 'supported'])
  await wallet.policy({ atomic: { status: 'unsupported', origin: null } })
  expect(await atomic()).toBe('unsupported')
  expect((await wallet.state()).policy.atomic).toHaveLength(4)
  await wallet.policy({ clear: true })
  expect([await atomic(), await atomic(DAPP)]).toEqual(['ready', 'ready'])
  await expect(wallet.policy({ atomic: { status: 'no' } as never })).rejects.toThrow(/a status/)
})

test('pending until the seal with the option receipts; 400 once it is gone', async () => {
  const { ask, devnet, rpc, status } = await start({ atomic: 'supported' }, { receipts: 'sealed' })
  const id = await rpc('evm_snapshot')
  await ask('wallet_sendCalls', [batch()])
  await devnet.clock.advance({ ticks: 1 })
  expect(await status()).toMatchObject({ result: { status: 100 } })
  await devnet.clock.seal()
  expect(await status()).toMatchObject({ result: { status: 200 } })
  await rpc('evm_revert', id)
  expect(await status()).toMatchObject({ result: { status: 400, receipts: [] } })
})

test('on a fork the executor is laid in, too', async () => {
  const upstream = await startWallet({}, FROZEN)
  const { ask, devnet, rpc, status } = await start(
    { atomic: 'supported' },
    { fork: upstream.devnet.url },
  )
  await ask('wallet_sendCalls', [batch()])
  await devnet.clock.advance({ blocks: 1 })
  expect(await status()).toMatchObject({ result: { status: 200 } })
  expect(await rpc('eth_getCode', EXECUTOR, 'latest')).toBe(EXECUTOR_CODE)
})
