import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseEther,
} from 'viem'
import { expect } from 'vitest'
import { type Cases, playground, type Stage } from './stage.ts'

/** Storage key of `stored[slot]`, which is the first variable of its contract. */
const keyOf = (slot: bigint): Hex =>
  keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [slot, 0n]))

const word = (value: bigint) => numberToHex(value, { size: 32 })

const stored = (slot: bigint) =>
  encodeFunctionData({ abi: playground.abi, functionName: 'stored', args: [slot] })

/** Code that returns NUMBER and TIMESTAMP. */
const ENVIRONMENT: Hex = '0x435f524260205260405ff3'

async function getCode({ client, contracts, other }: Stage): Promise<void> {
  for (const read of [client.getCode, client.getBytecode]) {
    expect(await read({ address: contracts.playground })).toBe(playground.deployedBytecode)
    expect(await read({ address: contracts.playground, blockNumber: 0n })).toBeUndefined()
    expect(await read({ address: other })).toBeUndefined()
  }
}

/** What is read from the state of a block. */
export const reads: Cases = {
  async call({ client, contracts, other }) {
    const to = contracts.playground
    expect(await client.call({ to, data: stored(1n) })).toEqual({ data: word(42n) })
    // 43 is pre-confirmed.
    expect(await client.call({ to, data: stored(2n) })).toEqual({ data: word(0n) })
    expect(await client.call({ to, data: stored(2n), blockTag: 'pending' })).toEqual({
      data: word(43n),
    })
    expect(await client.call({ to, data: stored(1n), blockNumber: 1n })).toEqual({ data: word(0n) })
    const { hash } = await client.getBlock({ blockNumber: 1n })
    expect(await client.call({ to, data: stored(1n), blockHash: hash })).toEqual({ data: word(0n) })
    // Code that is nowhere deployed.
    expect(await client.call({ code: playground.bytecode, data: stored(1n) })).toEqual({
      data: word(0n),
    })
    const stateDiff = [{ slot: keyOf(9n), value: word(7n) }]
    expect(
      await client.call({ to, data: stored(9n), stateOverride: [{ address: to, stateDiff }] }),
    ).toEqual({ data: word(7n) })
    expect(
      await client.call({
        to: other,
        stateOverride: [{ address: other, code: ENVIRONMENT }],
        blockOverrides: { number: 77n, time: 99n },
      }),
    ).toEqual({ data: concat([word(77n), word(99n)]) })
    const data = encodeFunctionData({
      abi: playground.abi,
      functionName: 'failWithReason',
      args: ['no luck'],
    })
    await expect(client.call({ to, data })).rejects.toThrow('no luck')
  },

  async readContract({ client, contracts, account }) {
    const read = (functionName: string, args: unknown[], more: object = {}) =>
      client.readContract({
        address: contracts.playground,
        abi: playground.abi,
        functionName,
        args,
        ...more,
      })
    expect(await read('stored', [1n])).toBe(42n)
    expect(await read('stored', [2n], { blockTag: 'pending' })).toBe(43n)
    await expect(read('failWithPanic', [[]])).rejects.toThrow('Array index is out of bounds')
    await expect(read('failWithError', [7n])).rejects.toThrow(`(${account.address}, 7)`)
    const abi = parseAbi(['function value() view returns (uint256)'])
    // viem asks a gateway for what the contract wants to know, and calls back with it (ERC-3668).
    expect(
      await client.readContract({ address: contracts.offchain, abi, functionName: 'value' }),
    ).toBe(42n)
  },

  async multicall({ client, contracts }) {
    const address = contracts.playground
    const { abi } = playground
    for (const through of [{ multicallAddress: contracts.multicall }, { deployless: true }]) {
      const results = await client.multicall({
        ...through,
        contracts: [
          { address, abi, functionName: 'stored', args: [1n] },
          { address, abi, functionName: 'failWithReason', args: ['no'] },
        ],
      })
      expect(results).toMatchObject([
        { status: 'success', result: 42n },
        { status: 'failure', error: { cause: { reason: 'no' } } },
      ])
    }
  },

  async simulateContract({ client, contracts, account }) {
    const { request, result } = await client.simulateContract({
      address: contracts.coin,
      abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
      functionName: 'transfer',
      args: [contracts.playground, 5n],
      account,
    })
    expect(result).toBe(true)
    const hash = await client.writeContract(request)
    const { status } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
  },

  async estimateGas({ client, contracts, other }) {
    expect(await client.estimateGas({ to: other, value: 1n })).toBe(21_000n)
    const data = encodeFunctionData({
      abi: playground.abi,
      functionName: 'store',
      args: [5n, 1n],
    })
    const gas = await client.estimateGas({ to: contracts.playground, data })
    const hash = await client.sendTransaction({ to: contracts.playground, data, gas })
    const { gasUsed, status } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    expect(gas).toBeGreaterThanOrEqual(gasUsed)
    // No more than what the rule of a 64th asks for.
    expect(gas).toBeLessThan((gasUsed * 11n) / 10n)
  },

  async estimateContractGas({ client, contracts }) {
    const estimate = (functionName: string, args: unknown[]) =>
      client.estimateContractGas({
        address: contracts.playground,
        abi: playground.abi,
        functionName,
        args,
      })
    const more = (await estimate('store', [5n, 1n])) - (await estimate('store', [1n, 1n]))
    // A new slot costs 17,100 more than one that is changed; estimates are close to that.
    expect(Number(more) / 17_100).toBeCloseTo(1, 1)
    await expect(estimate('failWithReason', ['no luck'])).rejects.toThrow('no luck')
  },

  async createAccessList({ client, contracts }) {
    const data = encodeFunctionData({ abi: playground.abi, functionName: 'store', args: [5n, 1n] })
    const { accessList, gasUsed } = await client.createAccessList({
      to: contracts.playground,
      data,
    })
    expect(accessList).toEqual([{ address: contracts.playground, storageKeys: [keyOf(5n)] }])
    const hash = await client.sendTransaction({ to: contracts.playground, data, accessList })
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ gasUsed })
  },

  async getBalance({ client, other }) {
    expect(await client.getBalance({ address: other })).toBe(parseEther('10000'))
    const hash = await client.sendTransaction({ to: other, value: 7n })
    await client.waitForTransactionReceipt({ hash })
    const at = (blockTag: 'latest' | 'pending' | 'earliest') =>
      client.getBalance({ address: other, blockTag })
    expect(await at('pending')).toBe(parseEther('10000') + 7n)
    expect(await at('latest')).toBe(parseEther('10000'))
    expect(await at('earliest')).toBe(parseEther('10000'))
    expect(await client.getBalance({ address: other, blockNumber: 0n })).toBe(parseEther('10000'))
  },

  async getTransactionCount({ client, account: { address } }) {
    const [latest, pending, first] = await Promise.all([
      client.getTransactionCount({ address }),
      client.getTransactionCount({ address, blockTag: 'pending' }),
      client.getTransactionCount({ address, blockNumber: 0n }),
    ])
    expect(first).toBe(0)
    expect(latest).toBe(10)
    expect(pending).toBe(11)
  },

  getCode,
  getBytecode: getCode,

  async getDelegation({ client, contracts, account }) {
    const { address } = account
    expect(await client.getDelegation({ address: contracts.playground })).toBeUndefined()
    const authorization = await client.signAuthorization({
      account,
      contractAddress: contracts.playground,
      executor: 'self',
    })
    const hash = await client.sendTransaction({ to: address, authorizationList: [authorization] })
    await client.waitForTransactionReceipt({ hash })
    const delegation = await client.getDelegation({ address, blockTag: 'pending' })
    expect(delegation?.toLowerCase()).toBe(contracts.playground)
    expect(await client.getDelegation({ address })).toBeUndefined()
  },

  async getStorageAt({ client, contracts }) {
    const at = (slot: bigint, blockTag: 'latest' | 'pending') =>
      client.getStorageAt({ address: contracts.playground, slot: keyOf(slot), blockTag })
    expect(await at(1n, 'latest')).toBe(word(42n))
    expect(await at(2n, 'latest')).toBe(word(0n))
    expect(await at(2n, 'pending')).toBe(word(43n))
  },

  async getStorageValues({ client, contracts, other }) {
    const requests = { [contracts.playground]: [keyOf(1n), keyOf(2n)], [other]: [word(0n)] }
    expect(await client.getStorageValues({ requests, blockTag: 'pending' })).toEqual({
      [contracts.playground]: [word(42n), word(43n)],
      [other]: [word(0n)],
    })
    expect(await client.getStorageValues({ requests })).toEqual({
      [contracts.playground]: [word(42n), word(0n)],
      [other]: [word(0n)],
    })
  },

  async getProof({ client, contracts }) {
    const address = contracts.playground
    const { stateRoot } = await client.getBlock()
    const proof = await client.getProof({ address, storageKeys: [keyOf(1n), keyOf(2n)] })
    expect(proof).toMatchObject({
      balance: 0n,
      nonce: 1,
      codeHash: keccak256(playground.deployedBytecode),
      storageProof: [{ value: 42n }, { value: 0n }],
    })
    const [top] = proof.accountProof
    expect(keccak256(top ?? '0x')).toBe(stateRoot)
    const [storageTop] = proof.storageProof[0]?.proof ?? []
    expect(keccak256(storageTop ?? '0x')).toBe(proof.storageHash)
  },

  async getEip712Domain({ client, contracts }) {
    const { domain } = await client.getEip712Domain({ address: contracts.owned })
    expect(domain).toMatchObject({ name: 'Owned', version: '1', chainId: 31337 })
    expect(domain.verifyingContract?.toLowerCase()).toBe(contracts.owned)
  },

  async getChainId({ client }) {
    expect(await client.getChainId()).toBe(31337)
  },
}
