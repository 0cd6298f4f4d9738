import { keccak256, parseEther, parseTransaction, TransactionNotFoundError } from 'viem'
import { expect } from 'vitest'
import { type Cases, playground, type Stage } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const UNKNOWN = `0x${'ab'.repeat(32)}` as const

/** A transaction of the account, signed and not sent. */
async function signTransfer({ client, account, other }: Stage, value: bigint) {
  const request = await client.prepareTransactionRequest({ account, to: other, value })
  return client.signTransaction(request)
}

async function prepareTransactionRequest({ client, account, other }: Stage): Promise<void> {
  const { baseFeePerGas } = await client.getBlock()
  const request = await client.prepareTransactionRequest({ account, to: other, value: 1n })
  expect(request).toMatchObject({
    chainId: 31337,
    // After the one that is pre-confirmed.
    nonce: 11,
    gas: 21_000n,
    type: 'eip1559',
    to: other,
    value: 1n,
  })
  expect(request.maxFeePerGas).toBeGreaterThan(baseFeePerGas ?? 0n)
}

async function fillTransaction({ client, account, other }: Stage): Promise<void> {
  const { transaction, raw } = await client.fillTransaction({ account, to: other, value: 3n })
  expect(transaction).toMatchObject({
    chainId: 31337,
    nonce: 11,
    gas: 21_000n,
    type: 'eip1559',
    to: other,
    value: 3n,
  })
  expect(parseTransaction(raw)).toMatchObject({ nonce: 11, gas: 21_000n, to: other, value: 3n })
  const given = await client.fillTransaction({ account, to: other, nonce: 20, gas: 50_000n })
  expect(given.transaction).toMatchObject({ nonce: 20, gas: 50_000n })
}

async function sendRawTransaction(stage: Stage): Promise<void> {
  const { client, other } = stage
  const serializedTransaction = await signTransfer(stage, 9n)
  const hash = await client.sendRawTransaction({ serializedTransaction })
  expect(hash).toBe(keccak256(serializedTransaction))
  await client.waitForTransactionReceipt({ hash })
  expect(await client.getBalance({ address: other, blockTag: 'pending' })).toBe(
    parseEther('10000') + 9n,
  )
  await expect(client.sendRawTransaction({ serializedTransaction })).rejects.toThrow()
}

async function sendRawTransactionSync(stage: Stage): Promise<void> {
  const { client } = stage
  const serializedTransaction = await signTransfer(stage, 9n)
  const receipt = await client.sendRawTransactionSync({ serializedTransaction })
  expect(receipt).toMatchObject({
    transactionHash: keccak256(serializedTransaction),
    status: 'success',
    blockNumber: 3n,
    blockHash: ZERO_HASH,
    transactionIndex: 1,
    gasUsed: 21_000n,
  })
  expect(await client.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt)
}

/** What is read of transactions, and how they get to the node. */
export const transactions: Cases = {
  async getTransaction({ client, account, sealed, preconfirmed, contracts }) {
    const { hash: blockHash } = await client.getBlock()
    const found = await client.getTransaction({ hash: sealed })
    expect(found).toMatchObject({
      hash: sealed,
      from: account.address.toLowerCase(),
      to: contracts.playground,
      nonce: 9,
      blockNumber: 2n,
      blockHash,
      transactionIndex: 0,
      type: 'eip1559',
      chainId: 31337,
    })
    expect(await client.getTransaction({ blockHash, index: 0 })).toEqual(found)
    expect(await client.getTransaction({ blockNumber: 2n, index: 0 })).toEqual(found)
    expect(await client.getTransaction({ sender: account.address, nonce: 9 })).toEqual(found)
    const pending = await client.getTransaction({ hash: preconfirmed })
    expect(pending).toMatchObject({ blockNumber: 3n, blockHash: null, transactionIndex: 0 })
    expect(await client.getTransaction({ blockTag: 'pending', index: 0 })).toEqual(pending)
    expect(await client.getTransaction({ sender: account.address, nonce: 10 })).toEqual(pending)
    await expect(client.getTransaction({ hash: UNKNOWN })).rejects.toThrow(TransactionNotFoundError)
    await expect(client.getTransaction({ sender: account.address, nonce: 11 })).rejects.toThrow(
      TransactionNotFoundError,
    )
  },

  async getRawTransaction({ client, sealed, preconfirmed }) {
    for (const hash of [sealed, preconfirmed]) {
      const raw = await client.getRawTransaction({ hash })
      expect(keccak256(raw)).toBe(hash)
    }
  },

  async getTransactionReceipt({ client, account, preconfirmed, contracts, devnet }) {
    const receipt = await client.getTransactionReceipt({ hash: preconfirmed })
    expect(receipt).toMatchObject({
      transactionHash: preconfirmed,
      status: 'success',
      from: account.address.toLowerCase(),
      to: contracts.playground,
      contractAddress: null,
      blockNumber: 3n,
      blockHash: ZERO_HASH,
      transactionIndex: 0,
      type: 'eip1559',
      logs: [{ address: contracts.playground, logIndex: 0, blockHash: ZERO_HASH }],
    })
    await devnet.clock.seal()
    const { hash: blockHash } = await client.getBlock()
    const logs = receipt.logs.map((log) => ({ ...log, blockHash }))
    expect(await client.getTransactionReceipt({ hash: preconfirmed })).toMatchObject({
      ...receipt,
      blockHash,
      // Their block has a time, which viem passes on as it came.
      logs: logs.map((log) => expect.objectContaining(log)),
    })
    await expect(client.getTransactionReceipt({ hash: UNKNOWN })).rejects.toThrow(
      'could not be found',
    )
  },

  async getTransactionConfirmations({ client, sealed, preconfirmed, devnet }) {
    expect(await client.getTransactionConfirmations({ hash: sealed })).toBe(1n)
    expect(await client.getTransactionConfirmations({ hash: preconfirmed })).toBe(0n)
    await devnet.clock.seal()
    expect(await client.getTransactionConfirmations({ hash: preconfirmed })).toBe(1n)
    expect(await client.getTransactionConfirmations({ hash: sealed })).toBe(2n)
  },

  async waitForTransactionReceipt({ client, contracts, devnet }) {
    const store = () =>
      client.writeContract({
        address: contracts.playground,
        abi: playground.abi,
        functionName: 'store',
        args: [7n, 7n],
      })
    const hash = await store()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({
      transactionHash: hash,
      blockHash: ZERO_HASH,
      blockNumber: 3n,
      status: 'success',
    })
    await devnet.clock.seal()
    const { hash: blockHash } = await client.getBlock()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ blockHash })
    // Waits for the seal of the block after its own.
    const confirmed = client.waitForTransactionReceipt({ hash, confirmations: 2 })
    await devnet.clock.seal()
    expect(await confirmed).toMatchObject({ transactionHash: hash, blockHash })
  },

  prepareTransactionRequest,
  fillTransaction,
  sendRawTransaction,
  sendRawTransactionSync,
}
