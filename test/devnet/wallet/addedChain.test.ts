import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type Hex } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { anvilProgram, startAnvil } from '../../support/anvil.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { startHardhat } from '../../support/peerNode.ts'
import { ALICE, BOB, chainOf, openSocket, startWallet } from './support.ts'

const CHAIN_ID = '0x53a'
const FAILS: Hex = `0x${'fa'.repeat(20)}`
const ANVIL = anvilProgram()

/** A chain whose RPC a wallet has added and switched to. */
async function added(url: string) {
  const started = await startWallet({ switchAfterAdd: 'switch', autoConnect: true })
  const chain = chainOf(CHAIN_ID, { rpcUrls: [url] })
  expect(await started.ask('wallet_addEthereumChain', [chain])).toEqual({ result: null })
  const rpc = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    return ((await answer.json()) as { result: unknown }).result
  }
  const { ask } = started
  return {
    ...started,
    rpc,
    /** Asks the wallet, which must not refuse. */
    async done(method: string, ...params: unknown[]) {
      const { result, error } = await ask(method, params)
      expect(error).toBeUndefined()
      return result
    },
    receipt: (hash: unknown) =>
      expect
        .poll(() => rpc('eth_getTransactionReceipt', hash), { timeout: 10_000 })
        .toMatchObject({ transactionHash: hash })
        .then(() => rpc('eth_getTransactionReceipt', hash)),
  }
}

async function startOther(options: OptionsInput = {}): Promise<Devnet> {
  const other = createDevnet({ port: 0, chainId: Number(CHAIN_ID), ...options })
  await other.start()
  onTestFinished(() => other.stop())
  return other
}

const PEERS: readonly (readonly [string, () => Promise<string>])[] = [
  ['a node with two clocks', async () => (await startOther()).url],
  ['a node in instant mode', async () => (await startOther({ instant: true })).url],
  ['hardhat node', hardhat],
  ...(ANVIL === undefined
    ? []
    : ([
        ['anvil', () => anvil(ANVIL)],
        ['anvil with blocks of a second', () => anvil(ANVIL, '--block-time', '1')],
      ] as const)),
]

async function hardhat(): Promise<string> {
  const chain = { type: 'edr-simulated', chainId: Number(CHAIN_ID) } as const
  const peer = await startHardhat(
    await createHardhatRuntimeEnvironment({ networks: { default: chain } }),
  )
  onTestFinished(() => peer[Symbol.asyncDispose]())
  return peer.url
}

/** A node of the time before base fees. */
function startBerlin(): Promise<Devnet> {
  const { londonBlock: _, ...config } = BLOCK_FORKS
  const file = temporaryFile('genesis.json', genesisOf({ ...config, chainId: Number(CHAIN_ID) }))
  return startOther({ chainId: undefined, instant: true, genesis: file })
}

async function anvil(program: string, ...more: string[]): Promise<string> {
  const peer = await startAnvil(program, '--chain-id', String(Number(CHAIN_ID)), ...more)
  onTestFinished(() => peer[Symbol.asyncDispose]())
  return peer.url
}

const batch = (calls: readonly object[]) => ({
  version: '2.0.0',
  chainId: CHAIN_ID,
  from: ALICE,
  atomicRequired: false,
  id: 'one',
  calls,
})

describe.each(PEERS)('%s', (_name, start) => {
  test('three transactions in a row, and three at the same time, are executed in order', async () => {
    const { done, receipt } = await added(await start())
    const send = (value: number) =>
      done('eth_sendTransaction', { from: ALICE, to: BOB, value: `0x${value.toString(16)}` })
    const hashes = [await send(1), await send(2), await send(3)]
    hashes.push(...(await Promise.all([send(4), send(5), send(6)])))
    const receipts = await Promise.all(hashes.map(receipt))
    expect(receipts).toMatchObject(Array(6).fill({ status: '0x1' }))
    const nonces = await Promise.all(hashes.map((hash) => done('eth_getTransactionByHash', hash)))
    expect(nonces).toMatchObject([0, 1, 2, 3, 4, 5].map((nonce) => ({ nonce: `0x${nonce}` })))
  })

  test('a batch has a receipt for each call, also for one that fails', async () => {
    const { ask, rpc, done } = await added(await start())
    const before = BigInt(String(await rpc('eth_getBalance', BOB, 'latest')))
    // PUSH0 PUSH0 REVERT
    await rpc('hardhat_setCode', FAILS, '0x5f5ffd')
    const pay = { to: BOB, value: '0x1' }
    await done('wallet_sendCalls', batch([pay, { to: FAILS }, pay]))
    const status = async () => (await ask('wallet_getCallsStatus', ['one'])).result
    await expect.poll(status, { timeout: 10_000 }).toMatchObject({
      status: 600,
      receipts: [{ status: '0x1' }, { status: '0x0' }, { status: '0x1' }],
    })
    await expect
      .poll(async () => BigInt(String(await rpc('eth_getBalance', BOB, 'latest'))) - before, {
        timeout: 10_000,
      })
      .toBe(2n)
  })

  test('new heads come, until another chain is active', async () => {
    const url = await start()
    const { wallet, rpc } = await added(url)
    const socket = await openSocket(wallet.url)
    const { result } = await socket.ask('eth_subscribe', ['newHeads'])
    const heads = () =>
      socket.events.flatMap(({ name, data }) => (name === 'message' ? [data] : []))
    await rpc('evm_mine')
    await expect.poll(heads, { timeout: 5000 }).not.toEqual([])
    expect(heads()[0]).toMatchObject({
      type: 'eth_subscription',
      data: { subscription: result, result: { number: expect.any(String) } },
    })
    await socket.ask('wallet_switchEthereumChain', [{ chainId: '0x7a69' }])
    const before = heads().length
    const own = await socket.ask('eth_subscribe', ['newHeads'])
    await rpc('evm_mine')
    await wallet.state()
    expect(heads()).toHaveLength(before)
    expect(own.result).not.toBe(result)
  })
})

describe('types', () => {
  const accessList = [{ address: BOB, storageKeys: [] }]

  test.each<[string, object, object]>([
    ['nothing', {}, { type: '0x2' }],
    ['a gas price', { gasPrice: '0x77359400' }, { type: '0x0', gasPrice: '0x77359400' }],
    ['type 0', { type: '0x0' }, { type: '0x0' }],
    [
      'an access list and a gas price',
      { gasPrice: '0x77359400', accessList },
      { type: '0x1', accessList },
    ],
    [
      'fee caps',
      { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x1' },
      { type: '0x2', maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x1' },
    ],
    ['an access list', { accessList }, { type: '0x2', accessList }],
    ['null', { maxFeePerGas: null, accessList: null }, { type: '0x2' }],
  ])('of %s', async (_name, fields, expected) => {
    const other = await startOther({ instant: true })
    const here = await startWallet({ autoConnect: true }, { instant: true })
    const there = await added(other.url)
    const transaction = { from: ALICE, to: BOB, value: '0x1', ...fields }
    for (const { ask } of [here, there]) {
      const { result } = await ask('eth_sendTransaction', [transaction])
      expect(await ask('eth_getTransactionByHash', [result])).toMatchObject({ result: expected })
    }
  })

  test('of an authorization list: it is executed', async () => {
    const other = await startOther({ instant: true })
    const { done, devnet, rpc } = await added(other.url)
    const { signAuthorization } = await import('viem/accounts')
    const [, bob] = devnet.accounts
    if (bob === undefined) throw new Error('no account')
    const signed = await signAuthorization({
      privateKey: bob.privateKey,
      chainId: Number(CHAIN_ID),
      address: FAILS,
      nonce: 0,
    })
    const authorizationList = [
      {
        chainId: CHAIN_ID,
        address: FAILS,
        nonce: '0x0',
        yParity: `0x${signed.yParity}`,
        r: signed.r,
        s: signed.s,
      },
    ]
    await done('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x0', authorizationList })
    expect(await rpc('eth_getCode', BOB, 'latest')).toBe(`0xef0100${FAILS.slice(2)}`)
  })

  test.each<[string, object, RegExp]>([
    ['type 2', { type: '0x2' }, /chain 1338 has no base fee \(EIP-1559\).* type 2/],
    ['a fee cap', { maxFeePerGas: '0x77359400' }, /has no base fee .* type 2/],
    ['a tip', { maxPriorityFeePerGas: '0x1' }, /has no base fee .* type 2/],
    ['an authorization list', { authorizationList: [] }, /has no base fee .* type 4/],
    ['type 9', { type: '0x9' }, /type 9 is not known/],
    ['a gas price in type 2', { type: '0x2', gasPrice: '0x1' }, /type 2 has no gasPrice/],
  ])('a chain without a base fee takes no %s', async (_name, fields, message) => {
    const other = await startBerlin()
    const { ask } = await added(other.url)
    const transaction = { from: ALICE, to: BOB, gas: '0x30d40', ...fields }
    expect(await ask('eth_sendTransaction', [transaction])).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(message) },
    })
  })

  test.each<[string, object, object]>([
    ['nothing', {}, { type: '0x0', gasPrice: '0x3b9aca00' }],
    ['an access list', { accessList }, { type: '0x1', accessList }],
  ])('a chain without a base fee: of %s', async (_name, fields, expected) => {
    const other = await startBerlin()
    const { done } = await added(other.url)
    const hash = await done('eth_sendTransaction', { from: ALICE, to: BOB, ...fields })
    expect(await done('eth_getTransactionByHash', hash)).toMatchObject(expected)
  })

  test('an authorization list is refused by name before Prague', async () => {
    const other = await startOther({ instant: true, hardfork: 'cancun' })
    const { ask } = await added(other.url)
    const authorization = {
      chainId: '0x0',
      address: BOB,
      nonce: '0x0',
      yParity: '0x0',
      r: '0x1',
      s: '0x1',
    }
    const transaction = { from: ALICE, to: BOB, gas: '0x30d40', authorizationList: [authorization] }
    expect(await ask('eth_sendTransaction', [transaction])).toMatchObject({
      error: { message: expect.stringMatching(/type/) },
    })
  })
})

test('a transaction that is dropped, and a chain that begins anew, leave no gap', async () => {
  const other = await startOther({ frozenTicks: true })
  const { done, rpc } = await added(other.url)
  const send = () => done('eth_sendTransaction', { from: ALICE, to: BOB, gas: '0x5208' })
  const [first] = [await send(), await send()]
  expect(await rpc('hardhat_dropTransaction', first)).toBe(true)
  const again = await send()
  await other.clock.advance({ blocks: 1 })
  expect(await rpc('eth_getTransactionCount', ALICE, 'latest')).toBe('0x2')
  expect(await done('eth_getTransactionByHash', again)).toMatchObject({ nonce: '0x0' })
  await rpc('hardhat_reset')
  const anew = await send()
  expect(await done('eth_getTransactionByHash', anew)).toMatchObject({ nonce: '0x0' })
})

test('a failing transaction of instant mode has its error, a failing batch its status', async () => {
  const other = await startOther({ instant: true })
  const there = await added(other.url)
  const here = await startWallet({ autoConnect: true }, { instant: true, frozenTicks: false })
  for (const { wallet, ask, devnet } of [here, there]) {
    const { activeChain } = await wallet.state()
    await (activeChain === CHAIN_ID ? other : devnet).provider.request({
      method: 'hardhat_setCode',
      params: [FAILS, '0x5f5ffd'],
    })
    expect(await ask('eth_sendTransaction', [{ from: ALICE, to: FAILS }])).toMatchObject({
      error: { code: 3 },
    })
    const calls = { ...batch([{ to: FAILS }]), chainId: activeChain }
    expect(await ask('wallet_sendCalls', [calls])).toEqual({ result: { id: 'one' } })
    expect(await ask('wallet_getCallsStatus', ['one'])).toMatchObject({
      result: { status: 500, receipts: [{ status: '0x0' }] },
    })
  }
})

test('a switch of the chain ends the subscriptions of the chain before', async () => {
  const other = await startOther()
  const { wallet, devnet, ask } = await added(other.url)
  await ask('wallet_switchEthereumChain', [{ chainId: '0x7a69' }])
  const socket = await openSocket(wallet.url)
  const { result } = await socket.ask('eth_subscribe', ['newHeads'])
  await devnet.clock.seal()
  await expect.poll(() => socket.order).toContain('message')
  await socket.ask('wallet_switchEthereumChain', [{ chainId: CHAIN_ID }])
  const before = socket.events.length
  await devnet.clock.seal()
  await socket.ask('eth_chainId')
  expect(socket.events.slice(before).filter(({ name }) => name === 'message')).toEqual([])
  expect(await socket.ask('eth_unsubscribe', [result])).toEqual({ result: false })
})
