import {
  type BaseContract,
  Contract,
  ContractFactory,
  hashMessage,
  isError,
  NonceManager,
  parseEther,
  recoverAddress,
  type Signer,
  Transaction,
  type TransactionResponse,
  verifyMessage,
  verifyTypedData,
  Wallet,
} from 'ethers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { compiled, createStage, type Stage } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const coin = compiled('Coin')
const playground = compiled('Playground')

/** Who signs: the node for an unlocked account, or ethers itself. */
const signers: Record<string, (stage: Stage) => Promise<Signer>> = {
  JsonRpcSigner: ({ provider }) => provider.getSigner(0),
  Wallet: async ({ provider, key }) => new Wallet(key(0), provider),
}

let stage: Stage
const start = async (options: OptionsInput = {}) => {
  await stage[Symbol.asyncDispose]()
  stage = await createStage('http, no cache', options)
  return stage
}

beforeEach(async () => {
  stage = await createStage('http, no cache')
})
afterEach(() => stage[Symbol.asyncDispose]())

describe.each(Object.entries(signers))('%s', (_, signerOf) => {
  test('sendTransaction, wait', async () => {
    const { provider, devnet, address } = stage
    const signer = await signerOf(stage)
    expect((await signer.getAddress()).toLowerCase()).toBe(address(0))
    const response = await signer.sendTransaction({ to: address(1), value: 7n })
    // At once, and with sealing frozen.
    const receipt = await response.wait()
    expect(receipt).toMatchObject({
      hash: response.hash,
      status: 1,
      gasUsed: 21_000n,
      blockNumber: 1,
      blockHash: ZERO_HASH,
    })
    expect(await provider.getBalance(address(1), 'pending')).toBe(parseEther('10000') + 7n)
    expect(await provider.getBalance(address(1))).toBe(parseEther('10000'))
    const zero = await response.wait(0)
    expect(zero).toMatchObject({ hash: response.hash })
    await devnet.clock.seal()
    const { hash: blockHash } = (await provider.getBlock(1)) ?? {}
    expect(await response.wait()).toMatchObject({ blockHash, blockNumber: 1 })
  })

  test('wait(2) waits for the seal of the block after its own', async () => {
    const { address, devnet } = stage
    const signer = await signerOf(stage)
    const response = await signer.sendTransaction({ to: address(1) })
    await response.wait()
    const confirmed = response.wait(2)
    await devnet.clock.advance({ blocks: 2 })
    // Whenever ethers looked first, there is a block to come that makes it look again.
    await devnet.clock.resume()
    const receipt = await confirmed
    expect(receipt).toMatchObject({ blockNumber: 1, status: 1 })
    expect(await receipt?.confirmations()).toBeGreaterThanOrEqual(2)
  })

  test('deploy, write, read', async () => {
    const { address } = stage
    const signer = await signerOf(stage)
    const factory = new ContractFactory(coin.abi, coin.bytecode, signer)
    const deployed: BaseContract = await factory.deploy(1000n)
    await deployed.waitForDeployment()
    const contract = new Contract(await deployed.getAddress(), coin.abi, signer)
    const transfer = contract.getFunction('transfer')
    const response = await transfer.send(address(1), 30n)
    const receipt = await response.wait()
    const events = receipt?.logs.map((log) => contract.interface.parseLog(log))
    expect(events?.map((event) => [event?.name, event?.args[2]])).toEqual([['Transfer', 30n]])
    const balanceOf = contract.getFunction('balanceOf')
    expect(await balanceOf(address(1), { blockTag: 'pending' })).toBe(30n)
    await expect(transfer.send(address(1), 5000n)).rejects.toMatchObject({
      code: 'CALL_EXCEPTION',
      reason: 'insufficient balance',
    })
  })

  test('a transaction that fails says so when it is waited for', async () => {
    const signer = await signerOf(stage)
    const factory = new ContractFactory(playground.abi, playground.bytecode, signer)
    const deployed: BaseContract = await factory.deploy()
    await deployed.waitForDeployment()
    const contract = new Contract(await deployed.getAddress(), playground.abi, signer)
    const fail = contract.getFunction('failWithReason')
    const response = await fail.send('no luck', { gasLimit: 100_000n })
    const error: unknown = await response.wait().catch((one: unknown) => one)
    if (!isError(error, 'CALL_EXCEPTION')) throw error
    expect(error.receipt).toMatchObject({ status: 0, hash: response.hash })
  })

  test('signMessage, signTypedData, signTransaction', async () => {
    const { address } = stage
    const signer = await signerOf(stage)
    const own = await signer.getAddress()
    const signature = await signer.signMessage('hello')
    expect(verifyMessage('hello', signature)).toBe(own)
    expect(recoverAddress(hashMessage('hello'), signature)).toBe(own)
    const domain = { name: 'Mail', chainId: 31337 }
    const types = { Letter: [{ name: 'text', type: 'string' }] }
    const typed = await signer.signTypedData(domain, types, { text: 'hello' })
    expect(verifyTypedData(domain, types, { text: 'hello' }, typed)).toBe(own)
    const { from, ...filled } = await signer.populateTransaction({ to: address(1), value: 1n })
    const raw = await signer.signTransaction({ ...filled, from: own })
    expect(Transaction.from(raw)).toMatchObject({ from: own, nonce: 0, value: 1n })
  })

  test('NonceManager sends 100 at once', async () => {
    const { provider, devnet, address } = stage
    const manager = new NonceManager(await signerOf(stage))
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        manager.sendTransaction({ to: address(1), value: BigInt(index) }),
      ),
    )
    expect(responses.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    const receipts = await Promise.all(responses.map((response) => response.wait()))
    expect(receipts.every((receipt) => receipt?.status === 1)).toBe(true)
    expect(await provider.getTransactionCount(address(0), 'pending')).toBe(100)
    await devnet.clock.seal()
    const block = await provider.getBlock('latest')
    // In the order of their nonces.
    expect(block?.transactions).toEqual(responses.map(({ hash }) => hash))
  })

  test('sends one after the other, each waited for, have rising nonces', async () => {
    const { address } = stage
    const signer = await signerOf(stage)
    const nonces: number[] = []
    for (let index = 0; index < 5; index++) {
      const response = await signer.sendTransaction({ to: address(1) })
      await response.wait()
      nonces.push(response.nonce)
    }
    expect(nonces).toEqual([0, 1, 2, 3, 4])
  })

  test('with frozen ticks a send returns, and its wait ends once they run', async () => {
    const { devnet, provider, address } = await start({ frozenTicks: true, sealInterval: 50 })
    const signer = await signerOf(stage)
    const response = await signer.sendTransaction({ to: address(1), value: 1n })
    expect(await provider.getTransaction(response.hash)).toMatchObject({
      hash: response.hash,
      blockNumber: null,
      blockHash: null,
    })
    expect(await provider.getTransactionReceipt(response.hash)).toBeNull()
    expect(await response.wait(0)).toBeNull()
    const waiting = response.wait()
    await devnet.clock.resume()
    expect(await waiting).toMatchObject({ hash: response.hash, status: 1 })
  })

  test('with frozen ticks a wait with a timeout gives up', async () => {
    const { address } = await start({ frozenTicks: true })
    const signer = await signerOf(stage)
    const response = await signer.sendTransaction({ to: address(1) })
    await expect(response.wait(1, 50)).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  test('behind a nonce gap a send returns, and runs once the gap is filled', async () => {
    const { devnet, provider, address } = await start({ sealInterval: 50, frozen: false })
    const signer = await signerOf(stage)
    const later = await signer.sendTransaction({ to: address(1), nonce: 1, gasLimit: 21_000n })
    expect(await provider.getTransactionReceipt(later.hash)).toBeNull()
    expect(await provider.getTransactionCount(address(0), 'pending')).toBe(0)
    const waiting = later.wait()
    const first: TransactionResponse = await signer.sendTransaction({ to: address(1) })
    expect(first.nonce).toBe(0)
    expect(await waiting).toMatchObject({ hash: later.hash, status: 1 })
    await devnet.clock.freeze()
    expect(await provider.getTransactionCount(address(0), 'pending')).toBe(2)
  })
})

test('a replaced transaction is told to whoever waits for it', async () => {
  const { devnet, provider, key, address } = await start({ frozenTicks: true, sealInterval: 50 })
  const wallet = new Wallet(key(0), provider)
  const fees = (gwei: bigint) => ({
    maxFeePerGas: gwei * 1_000_000_000n,
    maxPriorityFeePerGas: gwei * 1_000_000_000n,
  })
  const first = await wallet.sendTransaction({ to: address(1), value: 1n, nonce: 0, ...fees(3n) })
  const waiting = first.wait().catch((one: unknown) => one)
  await expect(
    wallet.sendTransaction({ to: address(1), value: 2n, nonce: 0, ...fees(3n) }),
  ).rejects.toMatchObject({ code: 'REPLACEMENT_UNDERPRICED' })
  const second = await wallet.sendTransaction({ to: address(1), value: 2n, nonce: 0, ...fees(5n) })
  await devnet.clock.resume()
  const error: unknown = await waiting
  if (!isError(error, 'TRANSACTION_REPLACED')) throw error
  expect(error).toMatchObject({ hash: second.hash, reason: 'replaced', cancelled: true })
  expect(error.receipt).toMatchObject({ hash: second.hash, status: 1 })
})

test.each([
  ['NONCE_EXPIRED', { nonce: 0, value: 1n }],
  ['INSUFFICIENT_FUNDS', { value: parseEther('100000') }],
])('a refused transaction has the code %s', async (code, fields) => {
  const { provider, key, address } = stage
  const wallet = new Wallet(key(0), provider)
  const sent = await wallet.sendTransaction({ to: address(1) })
  await sent.wait()
  await expect(
    wallet.sendTransaction({ to: address(1), gasLimit: 21_000n, ...fields }),
  ).rejects.toMatchObject({ code })
})
