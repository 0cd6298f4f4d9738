import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { Status } from '../../../../devnet/types.ts'
import { START } from '../../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'
import { createRpcChain, hex, SLOW_CLOCKS, ZERO_HASH } from './rpcChain.ts'

const NOBODY: Hex = `0x${'ab'.repeat(20)}`
const ETHER = 10n ** 18n

/** One transfer of 1 wei is pre-confirmed from account 0 to account 1. */
async function createPreconfirmed() {
  const node = await createRpcChain()
  const { call, account } = node
  const from = account(0).address
  const to = account(1).address
  const send = () => call<Hex>('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  const hash = await send()
  await call('preconf_advance', { ticks: 1 })
  const balance = (address: Hex, block: string) => call<Hex>('eth_getBalance', address, block)
  return { ...node, from, to, send, hash, balance, status: () => call<Status>('preconf_status') }
}

test('default: hardhat_setBalance holds for pending at once, behind what is pre-confirmed, and for latest with the seal', async () => {
  const { call, to, balance, status, hash } = await createPreconfirmed()
  const before = await balance(to, 'latest')
  const receipt = await call('eth_getTransactionReceipt', hash)
  expect(await call('hardhat_setBalance', to, '0x64')).toBe(true)
  expect([await balance(to, 'latest'), await balance(to, 'pending')]).toEqual([before, '0x64'])
  expect((await status()).pending.transactions.map((one) => one.hash)).toEqual([hash])
  expect(await call('eth_getTransactionReceipt', hash)).toEqual(receipt)
  await call('preconf_seal')
  expect(await balance(to, 'latest')).toBe('0x64')
  expect(await balance(to, '0x0')).toBe(before)
})

test('default: hardhat_setBalance holds for latest at once while nothing is pre-confirmed', async () => {
  const { call, send, to, balance } = await createPreconfirmed()
  await call('preconf_seal')
  await send()
  expect(await call('hardhat_setBalance', to, '0x64')).toBe(true)
  expect([await balance(to, 'latest'), await balance(to, 'pending')]).toEqual(['0x64', '0x64'])
  await call('preconf_seal')
  // Ticks are frozen, so the transfer still waits.
  expect([await balance(to, '0x1'), await balance(to, 'latest')]).toEqual(['0x64', '0x64'])
  await call('preconf_advance', { blocks: 1 })
  expect(await balance(to, 'latest')).toBe('0x65')
})

test('a cheat comes after what was sent, unless ticks are frozen', async () => {
  const node = await createRpcChain(SLOW_CLOCKS)
  const { call, account } = node
  const from = account(0).address
  const to = account(1).address
  const send = () => call<Hex>('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  const balance = () => call('eth_getBalance', to, 'pending')
  await send()
  await call('hardhat_setBalance', to, '0x64')
  expect(await balance()).toBe('0x64')
  await call('preconf_freeze', { ticks: true })
  await send()
  await call('hardhat_setBalance', to, '0x32')
  await call('preconf_advance', { ticks: 1 })
  expect(await balance()).toBe('0x33')
})

test('a cheat is in the state root of the next block', async () => {
  // Without system contracts, so that blocks write nothing of their own.
  const { call, chain } = await createRpcChain({ hardfork: 'shanghai' })
  const rootAfter = async (balance: Hex) => {
    await call('hardhat_setBalance', NOBODY, balance)
    await call('preconf_seal')
    return hexOf(chain.head.header.stateRoot)
  }
  const genesis = hexOf(chain.head.header.stateRoot)
  expect(await rootAfter('0x1')).not.toBe(genesis)
  // The account is gone again: no empty one is in the state (EIP-161).
  expect(await rootAfter('0x0')).toBe(genesis)
})

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

test('a sender without funds keeps what is pre-confirmed; what it sent after that waits', async () => {
  const { call, failure, from, to, send, status, hash } = await createPreconfirmed()
  const second = await send()
  await call('hardhat_setBalance', from, '0x0')
  await call('preconf_advance', { ticks: 1 })
  expect(await status()).toMatchObject({
    pending: { transactions: [{ hash }] },
    mempool: { runnable: 1, waiting: 0 },
    dropped: [],
    reexecuted: [],
  })
  expect(await failure('eth_sendTransaction', { from, to })).toMatchObject({
    message: expect.stringMatching(/^insufficient funds/),
  })
  await call('hardhat_setBalance', from, hex(ETHER))
  await call('preconf_advance', { ticks: 1 })
  expect((await status()).pending.transactions.map((one) => one.hash)).toEqual([hash, second])
})

test('default: hardhat_setNonce', async () => {
  const { call, from, to, send, status, hash } = await createPreconfirmed()
  const nonces = async (address: Hex) => [
    await call('eth_getTransactionCount', address, 'latest'),
    await call('eth_getTransactionCount', address, 'pending'),
  ]
  expect(await call('hardhat_setNonce', to, '0x7')).toBe(true)
  expect(await nonces(to)).toEqual(['0x0', '0x7'])
  const waiting = await send()
  expect(await call('hardhat_setNonce', from, '0x5')).toBe(true)
  expect(await nonces(from)).toEqual(['0x0', '0x5'])
  expect(await status()).toMatchObject({
    pending: { transactions: [{ hash }] },
    mempool: { runnable: 0, waiting: 0 },
    dropped: [{ hash: waiting, reason: 'nonce too low: next nonce 5, tx nonce 1' }],
  })
  await call('preconf_seal')
  expect([await nonces(to), await nonces(from)]).toEqual([
    ['0x7', '0x7'],
    ['0x5', '0x5'],
  ])
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
})

test('code at a sender drops what it sent and waits, with a reason for people, but nothing pre-confirmed', async () => {
  const { call, from, to, send, status, hash } = await createPreconfirmed()
  const waiting = await send()
  const other = await call<Hex>('eth_sendTransaction', { from: to, to: from, gas: '0x5208' })
  await call('hardhat_setCode', from, '0x6001')
  expect((await status()).dropped).toEqual([])
  await call('preconf_advance', { ticks: 1 })
  const { pending, dropped } = await status()
  expect(pending.transactions.map((one) => one.hash)).toEqual([hash, other])
  const reason = 'invalid sender address, address is not EOA (EIP-3607)'
  expect(dropped).toEqual([
    {
      hash: waiting,
      reason: `transaction ${waiting} could not be executed: ${reason}`,
      preconfirmed: false,
    },
  ])
})

test('hardhat_setNonce never goes back, pre-confirmed transactions included', async () => {
  const { call, failure, from, status } = await createPreconfirmed()
  const before = await status()
  expect(await failure('hardhat_setNonce', from, '0x0')).toEqual({
    code: -32000,
    message: 'New nonce (0) must not be smaller than the existing nonce (1)',
  })
  expect(await status()).toEqual(before)
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x1')
})

test('no code that begins as a delegation and is none', async () => {
  const { call, failure } = await createRpcChain()
  for (const method of ['hardhat_setCode', 'anvil_setCode', 'evm_setAccountCode']) {
    for (const [code, problem] of [
      ['0xef0100', 'code that begins as a delegation (EIP-7702) has 23 bytes, got 3'],
      [
        `0xef0100${'11'.repeat(21)}`,
        'code that begins as a delegation (EIP-7702) has 23 bytes, got 24',
      ],
      [`0xEF0101${'11'.repeat(20)}`, 'a delegation (EIP-7702) is 0xef0100 and an address'],
    ]) {
      expect(await failure(method, NOBODY, code)).toEqual({
        code: -32602,
        message: `invalid argument 1: ${problem}`,
      })
    }
  }
  for (const code of [`0xef0100${'11'.repeat(20)}`, '0xef00', '0xef02']) {
    expect(await call('hardhat_setCode', NOBODY, code)).toBe(true)
    expect(await call('eth_getCode', NOBODY)).toBe(code)
  }
})

test('default: hardhat_setCode and hardhat_setStorageAt', async () => {
  const { call } = await createRpcChain()
  // PUSH1 5, SLOAD, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
  const code = '0x60055460005260206000f3'
  expect(await call('hardhat_setCode', NOBODY, code)).toBe(true)
  expect(await call('eth_getCode', NOBODY)).toBe(code)
  expect(await call('hardhat_setStorageAt', NOBODY, '0x5', '0x00ff')).toBe(true)
  const value = `0x${'0'.repeat(62)}ff`
  expect(await call('eth_getStorageAt', NOBODY, '0x5', 'pending')).toBe(value)
  expect(await call('eth_call', { to: NOBODY })).toBe(value)
  await call('preconf_seal')
  expect(await call('eth_call', { to: NOBODY })).toBe(value)
  expect(await call('hardhat_setStorageAt', NOBODY, '0x5', ZERO_HASH)).toBe(true)
  expect(await call('eth_getStorageAt', NOBODY, '0x5')).toBe(ZERO_HASH)
  expect(await call('hardhat_setCode', NOBODY, '0x')).toBe(true)
  expect(await call('eth_getCode', NOBODY)).toBe('0x')
})

test('storage of an account that does not exist', async () => {
  const { call, chain } = await createRpcChain({ hardfork: 'shanghai' })
  const rootAfter = async (value: Hex) => {
    await call('hardhat_setStorageAt', NOBODY, '0x1', value)
    await call('preconf_seal')
    return hexOf(chain.head.header.stateRoot)
  }
  const genesis = hexOf(chain.head.header.stateRoot)
  expect(await rootAfter('0x0')).toBe(genesis)
  expect(await rootAfter('0x2')).not.toBe(genesis)
  const two = `0x${'0'.repeat(63)}2`
  expect(await call('eth_getStorageAt', NOBODY, '0x1')).toBe(two)
  await call('hardhat_setBalance', NOBODY, '0x1')
  await call('hardhat_setBalance', NOBODY, '0x0')
  // An account with storage stays, though it is empty otherwise.
  expect(await call('eth_getStorageAt', NOBODY, '0x1')).toBe(two)
})

test('default: the next base fee, of the block behind what is pre-confirmed', async () => {
  const { call, status, hash } = await createPreconfirmed()
  const preconfirmed = await call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'pending')
  expect(await call('hardhat_setNextBlockBaseFeePerGas', '0x1dcd6500')).toBe(true)
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    baseFeePerGas: preconfirmed.baseFeePerGas,
    transactions: [hash],
  })
  expect(preconfirmed.baseFeePerGas).not.toBe('0x1dcd6500')
  expect(await call('eth_getBlockByNumber', 'pending')).toMatchObject({
    number: '0x2',
    baseFeePerGas: '0x1dcd6500',
  })
  expect((await status()).pending.transactions).toEqual([])
  await call('preconf_seal')
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x2',
    baseFeePerGas: '0x1dcd6500',
  })
  // Only for one block.
  expect(await call('eth_baseFee')).not.toBe('0x1dcd6500')
})

test('default: prevRandao and coinbase, of the block behind what is pre-confirmed', async () => {
  const { call, send, hash } = await createPreconfirmed()
  const mixHash = `0x${'0'.repeat(62)}2a`
  const first = await call<{ mixHash: Hex; miner: Hex }>('eth_getBlockByNumber', 'pending')
  expect(await call('hardhat_setPrevRandao', '0x2a')).toBe(true)
  expect(await call('hardhat_setCoinbase', NOBODY)).toBe(true)
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    mixHash: first.mixHash,
    miner: first.miner,
    transactions: [hash],
  })
  expect([first.mixHash, first.miner]).not.toEqual([mixHash, NOBODY])
  const second = await send()
  await call('preconf_advance', { ticks: 1 })
  const receipt = await call('eth_getTransactionReceipt', second)
  await call('preconf_seal')
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x2',
    mixHash,
    miner: NOBODY,
    transactions: [second],
  })
  expect(receipt).toMatchObject({ blockNumber: '0x2', status: '0x1' })
  await call('preconf_seal')
  const next = await call<{ mixHash: Hex; miner: Hex }>('eth_getBlockByNumber', 'latest')
  expect(next.miner).toBe(NOBODY)
  expect(next.mixHash).not.toBe(mixHash)
  // The fee recipient got the tip.
  expect(await call('eth_getBalance', NOBODY)).toBe(hex(21_000n * 1_000_000_000n))
})

/** Commands that choose time or environment of the next block. */
const CHOICES: readonly [method: string, param?: unknown][] = [
  ['evm_increaseTime', 50],
  ['evm_setTime', START + 86_500],
  ['evm_setNextBlockTimestamp', START + 86_500],
  ['hardhat_setNextBlockBaseFeePerGas', '0x7'],
  ['hardhat_setCoinbase', NOBODY],
  ['hardhat_setPrevRandao', '0x2a'],
  ['evm_setBlockGasLimit', '0x5208'],
  ['hardhat_setChainId', '0x4d2'],
  ['hardhat_setBlockTimestampInterval', 10_000],
]

test.each(CHOICES)(
  '%s seals what was sent before it, and sealing stays frozen',
  async (method, param) => {
    const node = await createRpcChain(SLOW_CLOCKS)
    const { call, chain, account } = node
    const from = account(0).address
    await call('preconf_freeze')
    const sent = [
      await call('eth_sendTransaction', { from, to: from, gas: '0x5208' }),
      await call('eth_sendTransaction', { from, to: from, gas: '0x5208' }),
    ]
    await call(method, param)
    expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
      number: '0x1',
      transactions: sent,
    })
    expect(await call('preconf_status')).toMatchObject({
      pending: { number: 2, transactions: [] },
      sealing: { running: false },
      reexecuted: [],
    })
    // Nothing is pre-confirmed now, so there is nothing to seal; with frozen ticks, what is sent waits.
    await call('preconf_freeze', { ticks: true })
    await call('eth_sendTransaction', { from, to: from, gas: '0x5208' })
    await call(method, param)
    expect(chain.head.number).toBe(1)
    expect(await call('preconf_status')).toMatchObject({ mempool: { runnable: 1 } })
  },
)

test('default: hardhat_addBalance', async () => {
  const { call, failure, to, balance } = await createPreconfirmed()
  const before = BigInt(await balance(to, 'latest'))
  expect(await call('hardhat_addBalance', to, '0x10')).toBe(true)
  // Behind the pre-confirmed transfer of 1 wei.
  expect([await balance(to, 'latest'), await balance(to, 'pending')]).toEqual([
    hex(before),
    hex(before + 17n),
  ])
  expect(await call('hardhat_addBalance', NOBODY, '0x10')).toBe(true)
  expect([await balance(NOBODY, 'latest'), await balance(NOBODY, 'pending')]).toEqual([
    '0x0',
    '0x10',
  ])
  expect(await failure('hardhat_addBalance', NOBODY, hex(2n ** 256n - 1n))).toEqual({
    code: -32602,
    message: `${NOBODY} has 16 wei, and cannot have ${2n ** 256n - 1n} more: a balance is less than 2^256`,
  })
  await call('preconf_seal')
  expect([await balance(to, 'latest'), await balance(NOBODY, 'latest')]).toEqual([
    hex(before + 17n),
    '0x10',
  ])
})

test('default: evm_setBlockGasLimit: what fits in no later block is dropped, and the rest waits', async () => {
  const { call, failure, from, to, send, hash, status } = await createPreconfirmed()
  const preconfirmed = await send()
  await call('preconf_advance', { ticks: 1 })
  const small = [await send(), await send()]
  const large = await call<Hex>('eth_sendTransaction', { from: to, to: from, gas: '0x5209' })
  expect(await call('evm_setBlockGasLimit', '0x5208')).toBe(true)
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    gasLimit: hex(60_000_000),
    transactions: [hash, preconfirmed],
  })
  expect(await status()).toMatchObject({
    pending: { number: 2, transactions: [] },
    mempool: { runnable: 2, waiting: 0 },
    dropped: [{ hash: large, reason: 'exceeds block gas limit: it was lowered to 21000' }],
  })
  // One fits in each block.
  await call('preconf_advance', { blocks: 2 })
  expect([
    await call('eth_getTransactionReceipt', small[0]),
    await call('eth_getTransactionReceipt', small[1]),
  ]).toMatchObject([{ blockNumber: '0x2' }, { blockNumber: '0x3' }])
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({ gasLimit: '0x5208' })
  expect(await failure('evm_setBlockGasLimit', '0x0')).toEqual({
    code: -32000,
    message: 'Block gas limit must be greater than 0',
  })
  expect(await failure('eth_sendTransaction', { gas: '0x5209', to: NOBODY })).toMatchObject({
    message: 'exceeds block gas limit: tx gas 21001, block gas limit 21000',
  })
})

test('default: hardhat_setChainId: what was pre-confirmed for the old one is sealed, what waits is dropped', async () => {
  const { call, failure, from, to, send, hash, status } = await createPreconfirmed()
  await call('preconf_seal')
  const preconfirmed = await send()
  await call('preconf_advance', { ticks: 1 })
  const waiting = await send()
  const gapped = await call<Hex>('eth_sendTransaction', { from, to, nonce: '0x9' })
  const id = await call('evm_snapshot')
  expect(await call('hardhat_setChainId', '0x4d2')).toBe(true)
  expect(await call('eth_chainId')).toBe('0x4d2')
  expect(await call('net_version')).toBe('1234')
  const reason = 'invalid chain id for signer: have 31337 want 1234'
  expect(await status()).toMatchObject({
    pending: { number: 3, transactions: [] },
    mempool: { runnable: 0, waiting: 0 },
    dropped: [
      { hash: waiting, reason },
      { hash: gapped, reason },
    ],
  })
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x2',
    transactions: [preconfirmed],
  })
  // Sealed ones stay, and code sees the new id: CHAINID, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x7a69' })
  await call('hardhat_setCode', NOBODY, '0x465f5260205ff3')
  expect(Number(await call('eth_call', { to: NOBODY }))).toBe(1234)
  const again = await send()
  await call('evm_mine')
  expect(await call('eth_getTransactionByHash', again)).toMatchObject({
    chainId: '0x4d2',
    blockNumber: '0x3',
  })
  await call('evm_revert', id)
  expect(await call('eth_chainId')).toBe('0x7a69')
  await call('evm_mine')
  for (const one of [preconfirmed, waiting]) {
    expect(await call('eth_getTransactionReceipt', one)).toMatchObject({ blockNumber: '0x2' })
  }
  expect(await failure('hardhat_setChainId', '0x0')).toMatchObject({ code: -32602 })
  expect(await failure('eth_sendTransaction', { from, to, chainId: '0x4d2' })).toMatchObject({
    code: -32000,
  })
})

test('hardhat_setMinGasPrice is for blocks without a base fee', async () => {
  const { failure } = await createRpcChain()
  expect(await failure('hardhat_setMinGasPrice', '0x1')).toEqual({
    code: -32000,
    message: 'hardhat_setMinGasPrice is not supported when EIP-1559 is active',
  })
  expect(await failure('anvil_setMinGasPrice', '0x1')).toEqual({
    code: -32602,
    message: 'anvil_setMinGasPrice is not supported when EIP-1559 is active',
  })
  const { londonBlock: _, ...config } = BLOCK_FORKS
  const genesis = genesisOf(config, { timestamp: hex(START - 10) })
  const berlin = await createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
  expect(await berlin.call('hardhat_setMinGasPrice', '0x64')).toBe(true)
  const request = { from: berlin.account(0).address, to: NOBODY, gas: '0x5208' }
  expect(await berlin.failure('eth_sendTransaction', { ...request, gasPrice: '0x63' })).toEqual({
    code: -32000,
    message: 'Transaction gas price is 99, which is below the minimum of 100',
  })
  expect(await berlin.call('eth_sendTransaction', { ...request, gasPrice: '0x64' })).toMatch(/^0x/)
  const proofOfWork = ['hardhat_setNextBlockBaseFeePerGas', 'hardhat_setPrevRandao']
  for (const method of proofOfWork) {
    expect(await berlin.failure(method, '0x1')).toMatchObject({ code: -32000 })
  }
})
