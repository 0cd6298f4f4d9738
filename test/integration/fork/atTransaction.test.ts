import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet, type Devnet, type Hex } from '../../../devnet/index.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ask,
  COUNTER,
  count,
  counterOf,
  failure,
  START,
  startFork,
  startUpstream,
  word,
} from './forkSupport.ts'

const STRANGER: Hex = `0x${'5a'.repeat(20)}`
const COINBASE: Hex = `0x${'cb'.repeat(20)}`
/** Logs the time and keeps prevRandao, the base fee and the coinbase. */
const SEEING_CODE = '0x426000526020' + '6000a0446001554860025541600355'
const SEEING: Hex = `0x${'5e'.repeat(20)}`

/** State that the transactions change, on `pending`. */
async function stateOf(devnet: Devnet): Promise<unknown[]> {
  const [sender] = devnet.accounts
  return await Promise.all([
    counterOf(devnet),
    ...[1, 2, 3].map((slot) => ask(devnet, 'eth_getStorageAt', SEEING, word(slot), 'pending')),
    ...[STRANGER, COINBASE].map((address) => ask(devnet, 'eth_getBalance', address, 'pending')),
    ask(devnet, 'eth_getTransactionCount', STRANGER, 'pending'),
    ask(devnet, 'eth_getTransactionCount', sender?.address, 'pending'),
    ask(devnet, 'eth_getCode', STRANGER, 'pending'),
  ])
}

/** A sealed block with each type of transaction, and the state after each. */
async function startSealed() {
  const upstream = await startUpstream({ coinbase: COINBASE, gasLimit: 50_000_000 })
  await ask(upstream, 'hardhat_setBalance', STRANGER, '0xde0b6b3a7640000')
  await ask(upstream, 'hardhat_setCode', SEEING, SEEING_CODE)
  await ask(upstream, 'hardhat_impersonateAccount', STRANGER)
  await upstream.clock.seal()
  await ask(upstream, 'evm_setNextBlockTimestamp', START + 5000)
  await ask(upstream, 'hardhat_setPrevRandao', word(99))
  await ask(upstream, 'hardhat_setNextBlockBaseFeePerGas', '0x77777777')
  const [sender, authority] = upstream.accounts
  const account = privateKeyToAccount(authority?.privateKey ?? '0x')
  const authorization = await account.signAuthorization({
    ...{ chainId: 31337, contractAddress: COUNTER, nonce: 0 },
  })
  const { r, s, yParity = 0 } = authorization
  const authorizationList = [
    { chainId: '0x7a69', address: COUNTER, nonce: '0x0', r, s, yParity: `0x${yParity}` },
  ]
  const blobVersionedHashes = [`0x01${'b1'.repeat(31)}`]
  const sent = [
    { to: SEEING },
    { to: COUNTER, gasPrice: '0x99999999' },
    { to: COUNTER, gasPrice: '0x99999999', accessList: [] },
    { to: COUNTER, blobVersionedHashes, maxFeePerBlobGas: '0x9' },
    { from: STRANGER, to: COUNTER, value: '0x0' },
    { to: COUNTER, authorizationList },
    { data: '0x60006000fd' },
    { to: STRANGER, value: '0x7' },
  ]
  const hashes: Hex[] = []
  const states: unknown[][] = []
  for (const transaction of sent) {
    const from = sender?.address
    hashes.push(await ask(upstream, 'eth_sendTransaction', { from, ...transaction }))
    await upstream.clock.advance({ ticks: 1 })
    states.push(await stateOf(upstream))
  }
  await upstream.clock.seal()
  // Another block follows, of which nobody hears.
  await count(upstream)
  await upstream.clock.seal()
  return { upstream, hashes, states }
}

/** Receipts but for the hash of their block, which does not exist yet on the fork. */
async function receiptsOf(devnet: Devnet, hashes: readonly Hex[]): Promise<unknown[]> {
  const receipts = hashes.map((hash) =>
    ask<{ logs: object[] }>(devnet, 'eth_getTransactionReceipt', hash),
  )
  return (await Promise.all(receipts)).map((receipt) => ({
    ...receipt,
    blockHash: null,
    logs: receipt.logs.map((log) => ({ ...log, blockHash: null })),
  }))
}

test('default: the chain stands right after the transaction, whatever its type', async () => {
  const warnings = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => warnings.mockRestore())
  const { upstream, hashes, states } = await startSealed()
  const types = await Promise.all(
    hashes.map((hash) => ask<{ type: Hex }>(upstream, 'eth_getTransactionByHash', hash)),
  )
  expect(new Set(types.map(({ type }) => type))).toEqual(
    new Set(['0x0', '0x1', '0x2', '0x3', '0x4']),
  )
  for (const [index, hash] of hashes.entries()) {
    const fork = await startFork({ fork: upstream.url, forkAtTransaction: hash })
    expect(fork.forks).toMatchObject([{ number: 4, preconfirmed: index + 1 }])
    const executed = hashes.slice(0, index + 1)
    expect(await receiptsOf(fork, executed)).toEqual(await receiptsOf(upstream, executed))
    expect(await stateOf(fork)).toEqual(states[index])
    const { transactions } = await ask<{ transactions: Hex[] }>(
      fork,
      'eth_getBlockByNumber',
      'pending',
      false,
    )
    expect(transactions).toEqual(executed)
    // The next ones of its block exist there only.
    for (const later of hashes.slice(index + 1)) {
      expect(await ask(fork, 'eth_getTransactionReceipt', later)).toBe(null)
    }
    await fork.stop()
  }
  expect(warnings).not.toHaveBeenCalled()
})

test('the pending block has the attributes of that block, and can be sealed', async () => {
  const { upstream, hashes } = await startSealed()
  const [first = '0x'] = hashes
  // The cast is safe: only digits are changed.
  const upper = `0x${first.slice(2).toUpperCase()}` as Hex
  const fork = await startFork({ fork: upstream.url, forkAtTransaction: upper })
  await count(fork)
  await fork.clock.seal()
  expect(await ask(fork, 'eth_getBlockByNumber', '0x5', false)).toMatchObject({
    transactions: [first, expect.any(String)],
    timestamp: `0x${(START + 5000).toString(16)}`,
    baseFeePerGas: '0x77777777',
    mixHash: word(99),
    miner: COINBASE,
    gasLimit: '0x2faf080',
  })
  expect(await counterOf(fork)).toBe(word(8))
})

test('a recording stands there too', async () => {
  const { upstream, hashes, states } = await startSealed()
  const folder = mkdtempSync(join(tmpdir(), 'at-transaction-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [forkRecording, copy] = [join(folder, 'fork.json'), join(folder, 'copy.json')]
  const forkAtTransaction = hashes[4]
  const first = await startFork({ fork: upstream.url, forkAtTransaction, forkRecording })
  await stateOf(first)
  await first.stop()
  await upstream.stop()
  copyFileSync(forkRecording, copy)
  const played = await startFork({ forkAtTransaction, forkRecording: copy })
  expect(await stateOf(played)).toEqual(states[4])
  const other = startFork({ forkAtTransaction: hashes[1], forkRecording: copy })
  await expect(other).rejects.toThrow(
    `the recording ${copy} does not hold the block up to transaction ${hashes[1]}: delete the file`,
  )
})

test('a state file holds what was executed', async () => {
  const { upstream, hashes, states } = await startSealed()
  const folder = mkdtempSync(join(tmpdir(), 'at-transaction-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const options = {
    fork: upstream.url,
    forkAtTransaction: hashes[2],
    state: join(folder, 'a.json'),
  }
  const first = await startFork(options)
  await first.stop()
  const again = await startFork(options)
  expect(again.forks).toMatchObject([{ number: 4, preconfirmed: null }])
  expect(await stateOf(again)).toEqual(states[2])
})

test('error: a hash that nobody knows, or that no block has yet', async () => {
  const { upstream } = await startSealed()
  const refusal = (forkAtTransaction: Hex) =>
    startFork({ fork: upstream.url, forkAtTransaction }).then(
      () => 'It started',
      ({ message }: Error) => message,
    )
  const unknown: Hex = `0x${'ab'.repeat(32)}`
  expect(await refusal(unknown)).toBe(`${upstream.url} does not know transaction ${unknown}.`)
  const pending = await count(upstream)
  const sentence = `Transaction ${pending} of ${upstream.url} is in no sealed block yet: wait for it, or stand on block pending.`
  expect(await refusal(pending)).toBe(sentence)
  const waiting = await ask<Hex>(upstream, 'eth_sendTransaction', {
    from: upstream.accounts[1]?.address,
    ...{ to: COUNTER, nonce: '0x9' },
  })
  expect(await refusal(waiting)).toContain(
    `Transaction ${waiting} of ${upstream.url} is in no sealed`,
  )
})

test('error: an upstream that does not answer', async () => {
  const proxy = await UpstreamProxy.start(() => ({ error: { code: -32000, message: 'no' } }))
  onTestFinished(() => proxy.stop())
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const devnet = createDevnet({
    port: 0,
    fork: proxy.url,
    forkAtTransaction: hash,
    noForkCache: true,
  })
  await expect(devnet.start()).rejects.toThrow(`did not give the block of transaction ${hash}: `)
})

test('a reset goes back to the parent of its block', async () => {
  const { upstream, hashes } = await startSealed()
  const fork = await startFork({ fork: upstream.url, forkAtTransaction: hashes[3] })
  await ask(fork, 'hardhat_reset')
  expect(await counterOf(fork)).toBe(word(7))
  expect((await failure(fork, 'eth_getTransactionReceipt', hashes[0])).code).toBe(0)
})
