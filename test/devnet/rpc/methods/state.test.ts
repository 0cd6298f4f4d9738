import { expect, test } from 'vitest'
import { createRpcChain, hex } from './rpcChain.ts'

// PUSH1 2, PUSH1 5, SSTORE; then the code is PUSH1 0 (0x6000).
const CREATION = '0x60026005556160006000526002601ef3'

/** Account 0 has sent 1 wei and created a contract, both pre-confirmed. */
async function createPreconfirmed() {
  const node = await createRpcChain()
  const from = node.account(0).address
  const hash = await node.call('eth_sendTransaction', {
    from,
    to: node.account(1).address,
    value: '0x1',
  })
  const creation = await node.call('eth_sendTransaction', { from, data: CREATION })
  await node.call('preconf_advance', { ticks: 1 })
  const receipt = await node.call<{ contractAddress: string }>(
    'eth_getTransactionReceipt',
    creation,
  )
  return { ...node, from, hash, contract: receipt.contractAddress }
}

const ETHER = 10n ** 18n
const SLOT = `0x${'0'.repeat(63)}5`
const TWO = `0x${'0'.repeat(63)}2`
const ZERO = `0x${'0'.repeat(64)}`
const ONE = `0x${'0'.repeat(63)}1`

test('default: pending shows what is pre-confirmed, latest what is sealed', async () => {
  const { call, from, contract, account } = await createPreconfirmed()
  const read = async (block?: string) => ({
    nonce: await call('eth_getTransactionCount', from, block),
    balance: await call('eth_getBalance', account(1).address, block),
    code: await call('eth_getCode', contract, block),
    slot: await call('eth_getStorageAt', contract, SLOT, block),
  })
  const before = { nonce: '0x0', balance: hex(10_000n * ETHER), code: '0x', slot: ZERO }
  const after = { nonce: '0x2', balance: hex(10_000n * ETHER + 1n), code: '0x6000', slot: TWO }
  expect(await read('pending')).toEqual(after)
  for (const block of ['latest', 'safe', 'finalized', 'earliest', '0x0', undefined]) {
    expect(await read(block)).toEqual(before)
  }
  await call('preconf_seal')
  for (const block of ['pending', 'latest', 'safe', 'finalized', '0x1', undefined]) {
    expect(await read(block)).toEqual(after)
  }
  for (const block of ['earliest', '0x0']) expect(await read(block)).toEqual(before)
})

test('the pending nonce counts neither gaps nor the mempool, and never goes back', async () => {
  const { call, account } = await createRpcChain()
  const from = account(0).address
  const nonce = () => call('eth_getTransactionCount', from, 'pending')
  const seen: unknown[] = []
  const send = (fields: object) => call('eth_sendTransaction', { from, to: from, ...fields })
  await send({ nonce: '0x0' })
  await send({ nonce: '0x3' })
  seen.push(await nonce())
  await call('preconf_advance', { ticks: 1 })
  seen.push(await nonce())
  await call('preconf_seal')
  seen.push(await nonce())
  await send({ nonce: '0x1' })
  await call('preconf_advance', { blocks: 1 })
  seen.push(await nonce())
  await send({ nonce: '0x2' })
  await call('preconf_advance', { ticks: 1 })
  seen.push(await nonce())
  await call('preconf_seal')
  seen.push(await nonce())
  expect(seen).toEqual(['0x0', '0x1', '0x1', '0x2', '0x4', '0x4'])
})

test('args: block, EIP-1898', async () => {
  const { call, failure, from, chain } = await createPreconfirmed()
  await call('preconf_seal')
  const genesis = chain.history.byNumber(0)?.hash
  const { hash } = chain.head
  const nonce = (block: unknown) => call('eth_getTransactionCount', from, block)
  expect({
    number: await nonce({ blockNumber: '0x0' }),
    tag: await nonce({ blockNumber: 'pending' }),
    hash: await nonce(hash),
    object: await nonce({ blockHash: genesis }),
    canonical: await nonce({ blockHash: hash, requireCanonical: true }),
  }).toEqual({ number: '0x0', tag: '0x2', hash: '0x2', object: '0x0', canonical: '0x2' })
  expect(
    await failure('eth_getTransactionCount', from, { blockHash: hash, blockNumber: '0x0' }),
  ).toMatchObject({ code: -32602 })
})

test('unknown block', async () => {
  const { failure, from, chain, call } = await createPreconfirmed()
  const { hash } = chain.head
  await call('evm_snapshot')
  await call('preconf_seal')
  const abandoned = chain.head.hash
  await call('evm_revert', '0x1')
  const nonce = (block: unknown) => failure('eth_getTransactionCount', from, block)
  // The pending block is number 1.
  for (const block of ['0x2', '0xffffffffffffffff', abandoned]) {
    expect(await nonce(block)).toEqual({ code: -32001, message: `block not found: ${block}` })
  }
  expect(await nonce({ blockHash: abandoned, requireCanonical: true })).toEqual({
    code: -32001,
    message: `block not found: ${abandoned}`,
  })
  expect(hash).not.toBe(abandoned)
})

test('args: keepBlocks drops the state of old blocks', async () => {
  const { call, failure, account } = await createRpcChain({ keepBlocks: 2 })
  await call('hardhat_mine', '0x5')
  const { address } = account(0)
  expect(await call('eth_getBalance', address, 'earliest')).toBe(hex(10_000n * ETHER))
  expect(await call('eth_getBalance', address, '0x4')).toBe(hex(10_000n * ETHER))
  expect(await failure('eth_getBalance', address, '0x3')).toEqual({
    code: -32001,
    message:
      'block not found: 0x3: only the latest 2 blocks are kept; start with a larger --keep-blocks, or with 0 to keep all',
  })
})

test('args: safeDepth and finalizedDepth, not below the oldest block', async () => {
  const { call } = await createRpcChain({ safeDepth: 1, finalizedDepth: 3 })
  const numbers = async () => {
    const blocks = [
      await call<{ number: string }>('eth_getBlockByNumber', 'safe'),
      await call<{ number: string }>('eth_getBlockByNumber', 'finalized'),
    ]
    return blocks.map(({ number }) => number)
  }
  expect(await numbers()).toEqual(['0x0', '0x0'])
  await call('hardhat_mine', '0x2')
  expect(await numbers()).toEqual(['0x1', '0x0'])
  await call('hardhat_mine', '0x3')
  expect(await numbers()).toEqual(['0x4', '0x2'])
})

test('args: slot as a quantity or padded', async () => {
  const { call, contract } = await createPreconfirmed()
  for (const slot of ['0x5', '0x05', SLOT, '5', '05']) {
    expect(await call('eth_getStorageAt', contract, slot, 'pending')).toBe(TWO)
  }
  expect(await call('eth_getStorageAt', contract, '0x6', 'pending')).toBe(ZERO)
  await call('hardhat_setStorageAt', contract, '0x0', TWO)
  await call('hardhat_setStorageAt', contract, '0x1a', ONE)
  for (const slot of ['0x', '0', '0x0']) {
    expect(await call('eth_getStorageAt', contract, slot, 'pending')).toBe(TWO)
  }
  // Hexadecimal, as on hardhat node.
  expect(await call('eth_getStorageAt', contract, '1a', 'pending')).toBe(ONE)
})

test('accounts that do not exist', async () => {
  const { call } = await createRpcChain()
  const nobody = `0x${'ab'.repeat(20)}`
  expect([
    await call('eth_getTransactionCount', nobody),
    await call('eth_getBalance', nobody),
    await call('eth_getCode', nobody),
    await call('eth_getStorageAt', nobody, '0x0'),
  ]).toEqual(['0x0', '0x0', '0x', ZERO])
})

test('args: address in any letter case', async () => {
  const { call } = await createRpcChain()
  const balance = hex(10_000n * ETHER)
  expect(await call('eth_getBalance', '0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266')).toBe(balance)
  expect(await call('eth_getBalance', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).toBe(balance)
})
