import {
  encodeFunctionData,
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { expect } from 'vitest'
import { type Cases, coin, playground, type Stage, type ViemClient } from './stage.ts'
import { TYPED_DATA } from './standards.ts'

/** Plays with an account that signs itself, and with one that the node signs for. */
const withBoth =
  (play: (client: ViemClient, stage: Stage) => Promise<void>) => async (stage: Stage) => {
    await play(stage.client, stage)
    await play(stage.unlocked, stage)
  }

const calls = ({ contracts, other }: Stage) => [
  {
    to: contracts.playground,
    data: encodeFunctionData({ abi: playground.abi, functionName: 'store', args: [5n, 5n] }),
  },
  { to: other, value: 1n },
]

/** As viem does it where there is no wallet_sendCalls: one transaction after the other. */
const sendCalls = (stage: Stage) =>
  stage.unlocked.sendCalls({ calls: calls(stage), experimental_fallback: true })

async function waitForCallsStatus(stage: Stage): Promise<void> {
  const { id } = await sendCalls(stage)
  const status = await stage.unlocked.waitForCallsStatus({ id })
  expect(status).toMatchObject({ status: 'success', statusCode: 200, atomic: false })
  expect(status.receipts?.map(({ status, blockNumber }) => [status, blockNumber])).toEqual([
    ['success', 3n],
    ['success', 3n],
  ])
}

/** What an account signs and sends. */
export const wallet: Cases = {
  async getAddresses({ unlocked, devnet }) {
    const addresses = await unlocked.getAddresses()
    expect(addresses.map((address) => address.toLowerCase())).toEqual(
      devnet.accounts.map(({ address }) => address),
    )
  },

  async requestAddresses({ unlocked }) {
    expect(await unlocked.requestAddresses()).toEqual(await unlocked.getAddresses())
  },

  sendTransaction: withBoth(async (client, { other, account }) => {
    const fields = { to: other, value: 5n, gas: 30_000n }
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 7n }
    for (const [request, type] of [
      [{ ...fields, gasPrice: 2_000_000_000n }, 'legacy'],
      [{ ...fields, gasPrice: 2_000_000_000n, accessList: [] }, 'eip2930'],
      [{ ...fields, ...fees }, 'eip1559'],
    ] as const) {
      const hash = await client.sendTransaction(request)
      const { type: sent, status, gasUsed } = await client.waitForTransactionReceipt({ hash })
      expect([sent, status, gasUsed]).toEqual([type, 'success', 21_000n])
      expect(await client.getTransaction({ hash })).toMatchObject({
        from: account.address.toLowerCase(),
        to: other,
        value: 5n,
        gas: 30_000n,
      })
    }
    await expect(client.sendTransaction({ to: other, value: 10n ** 30n })).rejects.toThrow(
      'exceeds the balance of the account',
    )
  }),

  sendTransactionSync: withBoth(async (client, { other }) => {
    expect(await client.sendTransactionSync({ to: other, value: 5n })).toMatchObject({
      status: 'success',
      blockNumber: 3n,
      gasUsed: 21_000n,
      to: other,
    })
  }),

  deployContract: withBoth(async (client) => {
    const hash = await client.deployContract({ abi: coin.abi, bytecode: coin.bytecode, args: [9n] })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const address = contractAddress ?? '0x'
    const read = { address, abi: coin.abi, functionName: 'totalSupply' }
    expect(await client.readContract({ ...read, blockTag: 'pending' })).toBe(9n)
    expect(await client.getCode({ address })).toBeUndefined()
  }),

  writeContract: withBoth(async (client, { contracts, account }) => {
    const hash = await client.writeContract({
      address: contracts.playground,
      abi: playground.abi,
      functionName: 'store',
      args: [5n, 6n],
    })
    const { logs } = await client.waitForTransactionReceipt({ hash })
    expect(logs).toHaveLength(1)
    expect(logs[0]?.data.slice(-40)).toBe(account.address.slice(2).toLowerCase())
    const failing = client.writeContract({
      address: contracts.playground,
      abi: playground.abi,
      functionName: 'failWithError',
      args: [3n],
    })
    if (client.account.type === 'local') {
      // Refused by the estimate, before anything is sent.
      await expect(failing).rejects.toThrow(`(${account.address}, 3)`)
    } else {
      // Nobody estimates: it is sent, and says later that it failed.
      const { status } = await client.waitForTransactionReceipt({ hash: await failing })
      expect(status).toBe('reverted')
    }
  }),

  writeContractSync: withBoth(async (client, { contracts }) => {
    const write = (functionName: string, args: unknown[], gas?: bigint) =>
      client.writeContractSync({
        address: contracts.playground,
        abi: playground.abi,
        functionName,
        args,
        ...(gas === undefined ? undefined : { gas }),
      })
    expect(await write('store', [5n, 6n])).toMatchObject({ status: 'success', blockNumber: 3n })
    expect(await write('failWithError', [3n], 100_000n)).toMatchObject({ status: 'reverted' })
  }),

  signMessage: withBoth(async (client, { account }) => {
    for (const message of ['hello', { raw: '0x00ff' }] as const) {
      const signature = await client.signMessage({ message })
      expect(signature).toBe(await account.signMessage({ message }))
      expect(await recoverMessageAddress({ message, signature })).toBe(account.address)
    }
  }),

  signTypedData: withBoth(async (client, { account }) => {
    const signature = await client.signTypedData(TYPED_DATA)
    expect(signature).toBe(await account.signTypedData(TYPED_DATA))
    expect(await recoverTypedDataAddress({ ...TYPED_DATA, signature })).toBe(account.address)
  }),

  signTransaction: withBoth(async (client, { account, other }) => {
    const request = await client.prepareTransactionRequest({ to: other, value: 5n })
    const serializedTransaction = await client.signTransaction(request)
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(account.address)
    expect(parseTransaction(serializedTransaction)).toMatchObject({ to: other, value: 5n })
    const hash = await client.sendRawTransaction({ serializedTransaction })
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  }),

  async prepareAuthorization({ client, account, contracts }) {
    // For a transaction of its own, whose nonce counts first.
    expect(
      await client.prepareAuthorization({
        account,
        contractAddress: contracts.playground,
        executor: 'self',
      }),
    ).toMatchObject({ address: contracts.playground, chainId: 31337, nonce: 12 })
  },

  async signAuthorization({ client, unlocked, account, contracts }) {
    const authorization = await client.signAuthorization({
      account,
      contractAddress: contracts.playground,
      executor: 'self',
    })
    expect(await recoverAuthorizationAddress({ authorization })).toBe(account.address)
    const data = encodeFunctionData({
      abi: playground.abi,
      functionName: 'store',
      args: [8n, 9n],
    })
    const hash = await client.sendTransaction({
      to: account.address,
      data,
      authorizationList: [authorization],
    })
    // The account runs the contract's code, over its own storage.
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({
      type: 'eip7702',
      status: 'success',
      logs: [{ address: account.address.toLowerCase() }],
    })
    expect(await client.getTransaction({ hash })).toMatchObject({
      authorizationList: [{ address: contracts.playground, chainId: 31337, nonce: 12 }],
    })
    const stored = { abi: playground.abi, functionName: 'stored', args: [8n] }
    expect(
      await unlocked.readContract({ ...stored, address: account.address, blockTag: 'pending' }),
    ).toBe(9n)
  },

  async sendCalls(stage) {
    const { id } = await sendCalls(stage)
    expect(id.length).toBeGreaterThan(2 * 64)
    await expect(stage.unlocked.sendCalls({ calls: calls(stage) })).rejects.toThrow(
      'wallet_sendCalls',
    )
  },

  async sendCallsSync(stage) {
    const { status, receipts } = await stage.unlocked.sendCallsSync({
      calls: calls(stage),
      experimental_fallback: true,
    })
    expect([status, receipts?.length]).toEqual(['success', 2])
  },

  async getCallsStatus(stage) {
    await waitForCallsStatus(stage)
    const { id } = await sendCalls(stage)
    const { status, chainId } = await stage.unlocked.getCallsStatus({ id })
    // By the time that the second has its hash, they may be pre-confirmed.
    expect(['pending', 'success']).toContain(status)
    expect(chainId).toBe(31337)
  },

  waitForCallsStatus,
}
