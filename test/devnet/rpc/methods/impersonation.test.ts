import { keccak256, parseTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import type { Status } from '../../../../devnet/types.ts'
import { START } from '../../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const WHALE: Hex = `0x${'ab'.repeat(20)}`
const TO: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const ETHER = 10n ** 18n

/** The account that is impersonated owns 1,000 ether. */
async function createImpersonating(account = WHALE): Promise<RpcChain> {
  const node = await createRpcChain()
  await node.call('hardhat_setBalance', account, hex(1000n * ETHER))
  expect(await node.call('hardhat_impersonateAccount', account)).toBe(true)
  return node
}

const UNKNOWN = { code: -32000, message: `Unknown account ${WHALE}` }

test('default: sends without a key, and everything shows its sender', async () => {
  const { call } = await createImpersonating()
  const hash = await call<Hex>('eth_sendTransaction', { from: WHALE, to: TO, value: '0x5' })
  await call('evm_mine')
  const transaction = { hash, from: WHALE, nonce: '0x0', value: '0x5', blockNumber: '0x1' }
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject(transaction)
  expect(await call('eth_getBlockByNumber', '0x1', true)).toMatchObject({
    transactions: [transaction],
  })
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
    transactionHash: hash,
    from: WHALE,
    status: '0x1',
  })
  expect(await call('eth_getTransactionCount', WHALE)).toBe('0x1')
})

test('the raw form has the hash, and the hash that hardhat node gives', async () => {
  const { call } = await createImpersonating()
  // Measured on hardhat node (EDR 0.20).
  const expected = '0x91c4e71cba26d9d0f35eede7f79a209501d093f0c7f70f26dc398fc9d2b1e3ed'
  const request = {
    from: WHALE,
    to: TO,
    value: '0x1',
    gas: '0x5209',
    maxFeePerGas: '0x1da71dbf',
    maxPriorityFeePerGas: '0x71c9d61',
  }
  await call('hardhat_setNextBlockBaseFeePerGas', '0x1')
  expect(await call('eth_sendTransaction', request)).toBe(expected)
  await call('evm_mine')
  const raw = await call<Hex>('eth_getRawTransactionByHash', expected)
  expect(keccak256(raw)).toBe(expected)
  const { r, s, to, nonce = 0 } = parseTransaction(raw)
  expect({ r, s, to, nonce }).toEqual({
    r: `0x${'0'.repeat(24)}${WHALE.slice(2)}`,
    s: `0x${'0'.repeat(24)}${WHALE.slice(2)}`,
    to: TO,
    nonce: 0,
  })
})

test('equal transactions of two accounts differ', async () => {
  const { call } = await createImpersonating()
  const other: Hex = `0x${'cd'.repeat(20)}`
  await call('hardhat_setBalance', other, hex(ETHER))
  await call('hardhat_impersonateAccount', other)
  const hashes = new Set<Hex>()
  for (const from of [WHALE, other]) {
    for (let count = 0; count < 2; count++) {
      hashes.add(await call<Hex>('eth_sendTransaction', { from, to: TO, gas: '0x5208' }))
    }
  }
  await call('evm_mine')
  expect(hashes.size).toBe(4)
  expect((await call<{ transactions: Hex[] }>('eth_getBlockByNumber', '0x1')).transactions).toEqual(
    [...hashes],
  )
})

test('the state is as if the account had signed', async () => {
  const run = async (impersonate: boolean) => {
    const node = await createRpcChain()
    const from = node.account(0).address
    if (impersonate) await node.call('hardhat_impersonateAccount', from)
    const hash = await node.call<Hex>('eth_sendTransaction', { from, to: TO, value: '0x1' })
    await node.call('evm_mine')
    const { stateRoot, receiptsRoot } = node.chain.head.header
    return { hash, roots: [toHex(stateRoot), toHex(receiptsRoot)] }
  }
  const [signed, impersonated] = [await run(false), await run(true)]
  expect(impersonated.roots).toEqual(signed.roots)
  expect(impersonated.hash).not.toBe(signed.hash)
})

test('an account with code sends, too, and its code runs when it is called', async () => {
  const { call } = await createImpersonating()
  // Answers its caller.
  await call('hardhat_setCode', WHALE, '0x335f5260205ff3')
  const send = () => call<Hex>('eth_sendTransaction', { from: WHALE, to: WHALE, gas: '0x186a0' })
  const hashes = [await send(), await send()]
  await call('preconf_advance', { ticks: 1 })
  expect((await call<Status>('preconf_status')).pending.transactions).toMatchObject(
    hashes.map((hash) => ({ hash, status: 'success' })),
  )
  await call('preconf_seal')
  expect(await call('eth_getTransactionCount', WHALE)).toBe('0x2')
  expect(await call('eth_getCode', WHALE)).toBe('0x335f5260205ff3')
  // Executed once more, after the one before it.
  expect(await call('debug_traceTransaction', hashes[1], { tracer: 'callTracer' })).toMatchObject({
    from: WHALE,
    output: `0x${'0'.repeat(24)}${WHALE.slice(2)}`,
  })
  const created = await call<Hex>('eth_sendTransaction', { from: WHALE, data: '0x00' })
  await call('evm_mine')
  expect(await call('eth_getTransactionReceipt', created)).toMatchObject({
    contractAddress: expect.any(String),
    status: '0x1',
  })
})

test('the account of zero bytes, and one with zeros in front', async () => {
  const { call } = await createRpcChain()
  const hashes: Hex[] = []
  for (const from of [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(38)}11`]) {
    await call('hardhat_setBalance', from, hex(ETHER))
    await call('hardhat_impersonateAccount', from)
    const hash = await call<Hex>('eth_sendTransaction', { from, to: TO })
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ from, status: '0x1' })
    hashes.push(hash)
  }
  expect(new Set(hashes).size).toBe(2)
})

describe('refused', () => {
  test('signing', async () => {
    const { failure } = await createImpersonating()
    const typed = { types: { M: [] }, primaryType: 'M', domain: {}, message: {} }
    expect(await failure('eth_sign', WHALE, '0x12')).toEqual(UNKNOWN)
    expect(await failure('personal_sign', '0x12', WHALE)).toEqual(UNKNOWN)
    expect(await failure('eth_signTypedData_v4', WHALE, typed)).toEqual(UNKNOWN)
    expect(await failure('eth_signTransaction', { from: WHALE, to: TO })).toEqual(UNKNOWN)
  })

  test('before, and after it was stopped; what was sent stays', async () => {
    const { call, failure } = await createImpersonating()
    const request = { from: WHALE, to: TO }
    const hash = await call('eth_sendTransaction', request)
    expect(await call('hardhat_stopImpersonatingAccount', WHALE)).toBe(true)
    expect(await call('hardhat_stopImpersonatingAccount', WHALE)).toBe(false)
    expect(await failure('eth_sendTransaction', request)).toEqual(UNKNOWN)
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('what nobody could pay', async () => {
    const { call, failure } = await createRpcChain()
    await call('hardhat_impersonateAccount', WHALE)
    expect(await failure('eth_sendTransaction', { from: WHALE, to: TO })).toMatchObject({
      code: -32000,
      message: expect.stringContaining('insufficient funds'),
    })
  })

  test('its raw form, once nobody is impersonated', async () => {
    const { call, failure } = await createImpersonating()
    const hash = await call('eth_sendTransaction', { from: WHALE, to: TO })
    const raw = await call('eth_getRawTransactionByHash', hash)
    await call('hardhat_dropTransaction', hash)
    // Whatever address the signature gives, it is not this one.
    const accepted = await failure('eth_sendRawTransaction', raw)
    expect(accepted).toMatchObject({ code: -32000 })
  })
})

test('eth_accounts lists it only on anvil', async () => {
  const { call, accounts } = await createImpersonating()
  expect(await call('eth_accounts')).toEqual(accounts.map(({ address }) => address))
  const anvil = await createRpcChain({ anvil: true, accounts: 1 })
  await anvil.call('anvil_impersonateAccount', WHALE)
  expect(await anvil.call('eth_accounts')).toEqual([anvil.account(0).address, WHALE])
})

test('everybody at once; an unlocked account signs as before', async () => {
  const { call, failure, account } = await createRpcChain()
  await call('hardhat_setBalance', WHALE, hex(ETHER))
  expect(await call('hardhat_autoImpersonateAccount', true)).toBe(true)
  const hash = await call('eth_sendTransaction', { from: WHALE, to: TO })
  const signed = await call<Hex>('eth_sendTransaction', { from: account(0).address, to: TO })
  await call('evm_mine')
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ from: WHALE })
  const { r } = await call<{ r: Hex }>('eth_getTransactionByHash', signed)
  expect(r).not.toContain(account(0).address.slice(2))
  expect(await call('hardhat_autoImpersonateAccount', false)).toBe(true)
  expect(await failure('eth_sendTransaction', { from: WHALE, to: TO })).toEqual(UNKNOWN)
})

test('eth_sendUnsignedTransaction asks for no impersonation', async () => {
  const { call } = await createRpcChain()
  await call('hardhat_setBalance', WHALE, hex(ETHER))
  const hash = await call('eth_sendUnsignedTransaction', { from: WHALE, to: TO })
  await call('evm_mine')
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
    from: WHALE,
    status: '0x1',
  })
})

test('snapshots bring it back and take it away', async () => {
  const { call, failure } = await createImpersonating()
  const id = await call('evm_snapshot')
  await call('hardhat_stopImpersonatingAccount', WHALE)
  await call('evm_revert', id)
  expect(await call('eth_sendTransaction', { from: WHALE, to: TO })).toMatch(/^0x/)
  const other: Hex = `0x${'cd'.repeat(20)}`
  const second = await call('evm_snapshot')
  await call('hardhat_impersonateAccount', other)
  await call('hardhat_autoImpersonateAccount', true)
  await call('evm_revert', second)
  expect(await failure('eth_sendTransaction', { from: other, to: TO })).toMatchObject({
    message: `Unknown account ${other}`,
  })
})

test('one that waits over a hardfork is still its sender, code and all', async () => {
  const genesis = genesisOf(
    { ...BLOCK_FORKS, shanghaiTime: START, cancunTime: START + 100 },
    { timestamp: hex(START - 10) },
  )
  const { call } = await createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
  await call('hardhat_setBalance', WHALE, hex(ETHER))
  await call('hardhat_setCode', WHALE, '0x00')
  await call('hardhat_impersonateAccount', WHALE)
  const preconfirmed = await call('eth_sendTransaction', { from: WHALE, to: TO, gas: '0x5208' })
  await call('preconf_advance', { ticks: 1 })
  const waiting = await call('eth_sendTransaction', { from: WHALE, to: TO, gas: '0x5208' })
  await call('evm_mine', START + 100)
  for (const hash of [preconfirmed, waiting]) {
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
      from: WHALE,
      status: '0x1',
    })
  }
})

test('before EIP-155 no chain is named', async () => {
  const genesis = genesisOf({ homesteadBlock: 0 }, { timestamp: hex(START - 10) })
  const { call } = await createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
  await call('hardhat_setBalance', WHALE, hex(1000n * ETHER))
  await call('hardhat_impersonateAccount', WHALE)
  const hash = await call('eth_sendTransaction', { from: WHALE, to: TO })
  await call('evm_mine')
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ from: WHALE, v: '0x1c' })
})
