import { getContractAddress, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import type { FormattedTransaction } from '../../../../devnet/json/formatTransaction.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex } from './rpcChain.ts'

const GAS = hex(100_000)
const GWEI = 1_000_000_000n
/** Of the first pending block. */
const BASE_FEE = 875_000_000n

/** Sends with defaults from account 0 to account 1; answers the transaction as it waits in the mempool. */
async function createSender() {
  const node = await createRpcChain()
  const from = node.account(0).address
  const to = node.account(1).address
  const send = async (fields: object = {}) => {
    const hash = await node.call<Hex>('eth_sendTransaction', { from, to, ...fields })
    return await node.call<FormattedTransaction>('eth_getTransactionByHash', hash)
  }
  const refuse = (fields: object) => node.failure('eth_sendTransaction', { from, to, ...fields })
  return { ...node, from, to, send, refuse }
}

test('default: eth_sendTransaction fills in what is left out', async () => {
  const { send, from, to } = await createSender()
  expect(await send()).toMatchObject({
    from,
    to,
    nonce: '0x0',
    gas: hex(21_000),
    value: '0x0',
    input: '0x',
    type: '0x2',
    chainId: '0x7a69',
    maxPriorityFeePerGas: hex(GWEI),
    maxFeePerGas: hex(2n * BASE_FEE + GWEI),
    accessList: [],
  })
})

test('args: from is the first account where it is left out', async () => {
  const { send, from } = await createSender()
  expect(await send({ from: undefined })).toMatchObject({ from })
})

test('args: fees', async () => {
  const { send } = await createSender()
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = await send({
    maxFeePerGas: hex(BASE_FEE),
  })
  // The tip is not above the cap.
  expect([maxFeePerGas, maxPriorityFeePerGas, gasPrice]).toEqual(Array(3).fill(hex(BASE_FEE)))
  expect(await send({ maxPriorityFeePerGas: hex(5n * GWEI) })).toMatchObject({
    maxFeePerGas: hex(2n * BASE_FEE + 5n * GWEI),
    maxPriorityFeePerGas: hex(5n * GWEI),
  })
})

test('args: types', async () => {
  const { send, to, account } = await createSender()
  const accessList = [{ address: to, storageKeys: [`0x${'0'.repeat(64)}`] }]
  const legacy = await send({ gasPrice: hex(GWEI) })
  expect(legacy).toMatchObject({ type: '0x0', gasPrice: hex(GWEI), chainId: '0x7a69' })
  expect(legacy).not.toHaveProperty('maxFeePerGas')
  expect(await send({ gasPrice: hex(GWEI), accessList })).toMatchObject({ type: '0x1', accessList })
  expect(await send({ accessList })).toMatchObject({ type: '0x2', accessList })
  expect(await send({ type: '0x0' })).toMatchObject({
    type: '0x0',
    gasPrice: hex(2n * BASE_FEE + GWEI),
  })
  expect(await send({ blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] })).toMatchObject({
    type: '0x3',
    maxFeePerBlobGas: '0x2',
  })
  const authority = privateKeyToAccount(account(2).privateKey)
  const signed = await authority.signAuthorization({ chainId: 31_337, address: to, nonce: 0 })
  const authorization = {
    chainId: '0x7a69',
    address: to,
    nonce: '0x0',
    yParity: hex(signed.yParity ?? 0),
    r: hex(BigInt(signed.r)),
    s: hex(BigInt(signed.s)),
  }
  expect(await send({ authorizationList: [authorization] })).toMatchObject({
    type: '0x4',
    authorizationList: [authorization],
  })
})

test('fields that the type does not have', async () => {
  const { refuse } = await createSender()
  const accessList = [{ address: `0x${'ab'.repeat(20)}`, storageKeys: [] }]
  const refused = (type: number, field: string) => ({
    code: -32602,
    message: `a transaction of type ${type} has no ${field}`,
  })
  expect(await refuse({ type: '0x2', gasPrice: hex(GWEI) })).toEqual(refused(2, 'gasPrice'))
  expect(await refuse({ type: '0x0', accessList })).toEqual(refused(0, 'accessList'))
  expect(await refuse({ type: '0x1', maxFeePerGas: '0x1' })).toEqual(refused(1, 'maxFeePerGas'))
  expect(await refuse({ type: '0x2', blobVersionedHashes: [] })).toEqual(
    refused(2, 'blobVersionedHashes'),
  )
  expect(await refuse({ gasPrice: '0x1', authorizationList: [] })).toEqual(refused(4, 'gasPrice'))
  expect(await refuse({ type: '0x5' })).toEqual({
    code: -32602,
    message: 'transaction type 5 is not known',
  })
})

test('nonces follow on the mempool, also when sent at once', async () => {
  const { call, chain, send, from, to } = await createSender()
  await Promise.all(
    Array.from({ length: 5 }, () => call('eth_sendTransaction', { from, to, gas: '0x5208' })),
  )
  expect(chain.mempool.transactions().map(({ nonce }) => nonce)).toEqual([0n, 1n, 2n, 3n, 4n])
  await call('preconf_advance', { ticks: 1 })
  expect((await send()).nonce).toBe('0x5')
  await call('preconf_advance', { blocks: 1 })
  expect((await send()).nonce).toBe('0x6')
})

test('default: gas of what would fail: the most that a transaction may have', async () => {
  const gas = async (options: Parameters<typeof createRpcChain>[0]) => {
    const { call } = await createRpcChain(options)
    const hash = await call('eth_sendTransaction', { data: '0xfe' })
    return (await call<FormattedTransaction>('eth_getTransactionByHash', hash)).gas
  }
  expect(await gas({})).toBe(hex(2n ** 24n))
  expect(await gas({ gasLimit: 1_000_000 })).toBe(hex(1_000_000))
  expect(await gas({ hardfork: 'prague' })).toBe(hex(60_000_000))
})

test('gas of what would fail: what the block has left, if that is half of the most', async () => {
  const { call } = await createRpcChain({ gasLimit: 1_000_000, hardfork: 'prague' })
  const send = (gas?: Hex) => call('eth_sendTransaction', { data: '0xfe', gas })
  const gasOf = async (hash: unknown) =>
    (await call<FormattedTransaction>('eth_getTransactionByHash', hash)).gas
  await send(hex(400_000))
  // Behind the first, although that waits for its tick.
  expect(await gasOf(await send())).toBe(hex(600_000))
  // The block has nothing left: the next one takes it.
  expect(await gasOf(await send())).toBe(hex(1_000_000))
})

test('six transactions without gas fit into a block, before Osaka, too', async () => {
  const { call, account } = await createRpcChain({ hardfork: 'prague' })
  for (let index = 0; index < 6; index++) {
    await call('eth_sendTransaction', { from: account(index).address, to: account(7).address })
  }
  await call('evm_mine')
  const { transactions } = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest')
  expect(transactions).toHaveLength(6)
})

// Stores 1 in slot 0: PUSH1 1, PUSH0, SSTORE.
const STORES = '0x60015f55'

test('gas is estimated after what waits, with half of what is above a transfer added', async () => {
  const { call, account } = await createRpcChain()
  const to = `0x${'c2'.repeat(20)}`
  await call('hardhat_setCode', to, STORES)
  const from = account(0).address
  const gasOf = async (request: object) => {
    const hash = await call('eth_sendTransaction', { from, ...request })
    return BigInt((await call<FormattedTransaction>('eth_getTransactionByHash', hash)).gas)
  }
  const needed = BigInt(await call<Hex>('eth_estimateGas', { from, to }))
  expect(await gasOf({ to })).toBe(needed + (needed - 21_000n) / 2n)
  // The one before waits, and stores first: 21,000 + 2 PUSHes + a cold SSTORE without change.
  expect(await gasOf({ to })).toBeLessThan(needed - 10_000n)
})

test.each([false, true])('a payment to a contract that is on its way, anvil: %s', async (anvil) => {
  const { call, account } = await createRpcChain({ anvil })
  const from = account(0).address
  const gasOf = async (request: object) => {
    const hash = await call('eth_sendTransaction', { from, ...request })
    return Number((await call<FormattedTransaction>('eth_getTransactionByHash', hash)).gas)
  }
  // Deploys a contract that stores 1 when it is paid.
  await call('eth_sendTransaction', { from, data: `0x63${STORES.slice(2)}5f526004601cf3` })
  const to = getContractAddress({ from, nonce: 0n })
  expect(await gasOf({ to: account(1).address, value: '0x1' })).toBe(21_000)
  expect(await gasOf({ to, value: '0x1' })).toBeGreaterThan(43_000)
})

test('a payment to an account that a waiting transaction delegates', async () => {
  const { call, account } = await createRpcChain()
  const [from, to] = [account(0).address, account(1).address]
  const contract: Hex = `0x${'c2'.repeat(20)}`
  await call('hardhat_setCode', contract, STORES)
  const { r, s, yParity } = await privateKeyToAccount(account(1).privateKey).signAuthorization({
    contractAddress: contract,
    chainId: 31_337,
    nonce: 0,
  })
  const authorization = { chainId: '0x7a69', address: contract, nonce: '0x0', r, s }
  const authorizationList = [{ ...authorization, yParity: hex(yParity ?? 0) }]
  await call('eth_sendTransaction', { from, to: from, gas: GAS, authorizationList })
  const hash = await call('eth_sendTransaction', { from, to, value: '0x1' })
  const { gas } = await call<FormattedTransaction>('eth_getTransactionByHash', hash)
  expect(Number(gas)).toBeGreaterThan(43_000)
})

test('a transfer needs no execution, whatever waits, unless it may change its recipient', async () => {
  const { call, account, chain } = await createRpcChain()
  const contract = `0x${'c2'.repeat(20)}`
  const stranger = `0x${'d2'.repeat(20)}`
  await call('hardhat_setCode', contract, STORES)
  const write = vi.spyOn(chain, 'write')
  for (const to of [stranger, account(7).address, account(8).address]) {
    for (let count = 0; count < 3; count++) {
      const from = account(count).address
      await call('eth_sendTransaction', { from, to, value: '0x1' })
    }
    expect(write).toHaveBeenCalledTimes(0)
    await call('eth_sendTransaction', { from: account(0).address, to: contract, gas: GAS })
  }
  // A call could create a contract there.
  await call('eth_sendTransaction', { from: account(1).address, to: stranger, value: '0x1' })
  expect(write).toHaveBeenCalledTimes(1)
  const gas = chain.mempool.transactions().map(({ gasLimit }) => Number(gasLimit))
  expect(gas.filter((limit) => limit === 21_000)).toHaveLength(10)
})

test('sends at once without and with gas keep their order', async () => {
  const { call, account } = await createRpcChain()
  const from = account(0).address
  const sends = [undefined, GAS, undefined, GAS].map((gas) =>
    call<Hex>('eth_sendTransaction', { from, to: from, gas }),
  )
  // A command comes after what was sent before it.
  const [mined, ...hashes] = await Promise.all([call('evm_mine'), ...sends])
  expect(mined).toBe('0')
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({ transactions: hashes })
})

test('what cannot be sent', async () => {
  const { refuse, failure } = await createSender()
  const stranger = `0x${'ab'.repeat(20)}`
  expect(await refuse({ from: stranger })).toEqual({
    code: -32000,
    message: `Unknown account ${stranger}`,
  })
  expect(await refuse({ to: undefined })).toEqual({
    code: -32000,
    message: 'contract creation without any data provided',
  })
  expect(await refuse({ chainId: '0x1' })).toEqual({
    code: -32000,
    message: "chainId does not match node's (have=1, want=31337)",
  })
  expect(await refuse({ gas: hex(2n ** 24n + 1n) })).toEqual({
    code: -32000,
    message: 'transaction gas limit too high (cap: 16777216, tx: 16777217)',
  })
  expect(await refuse({ maxFeePerGas: '0x1' })).toEqual({
    code: -32000,
    message: `max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: ${BASE_FEE}`,
  })
  expect(await refuse({ value: hex(10n ** 30n) })).toMatchObject({
    code: -32000,
    message: expect.stringContaining('insufficient funds for gas * price + value'),
  })
  expect(await failure('eth_sendTransaction', { gasPrice: '0x1', maxFeePerGas: '0x1' })).toEqual({
    code: -32000,
    message: 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  })
})

test('a node without accounts', async () => {
  const { call, failure } = await createRpcChain({ accounts: 0 })
  expect(await call('eth_accounts')).toEqual([])
  expect(await failure('eth_sendTransaction', { to: `0x${'ab'.repeat(20)}` })).toEqual({
    code: -32000,
    message: 'no sender given, and the node has no accounts: name one in "from"',
  })
})

test('default: eth_sendRawTransaction', async () => {
  const { call, failure, account } = await createRpcChain()
  const raw = await privateKeyToAccount(account(0).privateKey).signTransaction({
    chainId: 31_337,
    to: account(1).address,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 2n * GWEI,
    maxPriorityFeePerGas: GWEI,
  })
  expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
  expect(await failure('eth_sendRawTransaction', raw)).toEqual({
    code: -32000,
    message: 'already known; it waits in the mempool for a tick, and ticks are frozen',
  })
  await call('preconf_advance', { ticks: 1 })
  expect(await failure('eth_sendRawTransaction', raw)).toEqual({
    code: -32000,
    message:
      'already known; it is pre-confirmed in block 1, which is not sealed: read pending, or start the node with --latest ticks or --receipts sealed',
  })
  expect(await failure('eth_sendRawTransaction', '0x')).toMatchObject({ code: -32602 })
  expect(await failure('eth_sendRawTransaction', '0x02c0')).toMatchObject({ code: -32602 })
})

test('default: eth_signTransaction signs as viem does, and sends nothing', async () => {
  const { call, chain, account } = await createRpcChain()
  const from = account(0).address
  const to = account(1).address
  const signer = privateKeyToAccount(account(0).privateKey)
  const accessList = [{ address: to, storageKeys: [`0x${'1'.repeat(64)}` as Hex] }]
  const authorization = await signer.signAuthorization({ chainId: 31_337, address: to, nonce: 3 })
  const common = { from, to, nonce: '0x3', gas: '0x30d40', value: '0x5', data: '0x0102' }
  const same = { chainId: 31_337, to, nonce: 3, gas: 200_000n, value: 5n, data: '0x0102' } as const
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x0' }
  const sameFees = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 0n }
  const sign = (fields: object) => call<Hex>('eth_signTransaction', { ...common, ...fields })

  expect(await sign({ gasPrice: '0x77359400' })).toBe(
    await signer.signTransaction({ ...same, type: 'legacy', gasPrice: 2n * GWEI }),
  )
  expect(await sign({ gasPrice: '0x77359400', accessList })).toBe(
    await signer.signTransaction({ ...same, type: 'eip2930', gasPrice: 2n * GWEI, accessList }),
  )
  expect(await sign({ ...fees, accessList })).toBe(
    await signer.signTransaction({ ...same, ...sameFees, type: 'eip1559', accessList }),
  )
  const blobVersionedHashes: Hex[] = [`0x01${'ab'.repeat(31)}`]
  expect(await sign({ ...fees, blobVersionedHashes, maxFeePerBlobGas: '0x9' })).toBe(
    await signer.signTransaction({
      ...same,
      ...sameFees,
      type: 'eip4844',
      blobVersionedHashes,
      maxFeePerBlobGas: 9n,
    }),
  )
  const authorizationList = [
    {
      chainId: '0x7a69',
      address: to,
      nonce: '0x3',
      yParity: hex(authorization.yParity ?? 0),
      r: hex(BigInt(authorization.r)),
      s: hex(BigInt(authorization.s)),
    },
  ]
  expect(await sign({ ...fees, authorizationList })).toBe(
    await signer.signTransaction({
      ...same,
      ...sameFees,
      type: 'eip7702',
      authorizationList: [authorization],
    }),
  )
  expect(chain.mempool.size).toBe(0)
})

test('eth_signTransaction with defaults can be sent', async () => {
  const { call, account } = await createRpcChain()
  const from = account(4).address
  const raw = await call<`0x02${string}`>('eth_signTransaction', { from, data: '0x6001' })
  const needed = BigInt(await call<Hex>('eth_estimateGas', { from, data: '0x6001' }))
  const gas = needed + (needed - 21_000n) / 2n
  expect(parseTransaction(raw)).toMatchObject({ nonce: 0, gas, data: '0x6001' })
  expect((await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()).toBe(from)
  expect(await call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
})

test('with tick interval 0 the hash comes when the transaction is visible', async () => {
  const { call, account } = await createRpcChain({ frozenTicks: false, tickInterval: 0 })
  const from = account(0).address
  const count = () => call('eth_getTransactionCount', from, 'pending')
  for (const sent of [1, 2, 3]) {
    await call('eth_sendTransaction', { from, to: from })
    expect(await count()).toBe(hex(sent))
  }
  await Promise.all([4, 5, 6].map(() => call('eth_sendTransaction', { from, to: from })))
  expect(await count()).toBe('0x6')
  // Behind a gap there is nothing to wait for.
  await call('eth_sendTransaction', { from, to: from, nonce: '0x9' })
  expect(await count()).toBe('0x6')
  await call('preconf_freeze', { ticks: true })
  await call('eth_sendTransaction', { from, to: from, nonce: '0x6' })
  expect(await count()).toBe('0x6')
})
