import type { NetworkConnection } from 'hardhat/types/network'
import { encodeFunctionData, type Hex, hexToBigInt, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../../devnet/primitives/json.ts'
import type { PendingNodeUserConfig } from '../../../plugin/types.ts'
import { createProject, type Project } from './project.ts'

/*
 * An error has frames only if the call fails in the same way when it is executed again: so it has
 * them only if that begins with the state that the call saw.
 */

let project: Project

beforeAll(async () => {
  project = await createProject()
})
afterAll(() => project[Symbol.dispose]())

interface Block {
  readonly number: Hex
  readonly hash: Hex
  readonly timestamp: Hex
  readonly baseFeePerGas: Hex
  readonly mixHash: Hex
}

async function createStage(
  pendingNode: PendingNodeUserConfig = { frozen: true },
  more: object = {},
) {
  const connection: NetworkConnection = await project.hre.network.create({
    network: 'pending',
    override: { pendingNode, ...more },
  })
  const { provider, viem } = connection
  const rpc = (method: string, ...params: unknown[]) => provider.request({ method, params })
  const contract = await viem.deployContract('Failures')
  const data = (functionName: string, args: unknown[]) =>
    encodeFunctionData({ abi: contract.abi, functionName, args } as Parameters<
      typeof encodeFunctionData
    >[0])
  const [client] = await viem.getWalletClients()
  if (client === undefined) throw new Error('No client')
  return {
    ...connection,
    connection,
    rpc,
    client,
    address: contract.address,
    data,
    /** Sends a call of the contract, whose gas is given: it fails only when it is executed. */
    send: (functionName: string, args: unknown[], value = 0n) =>
      client.sendTransaction({
        to: contract.address,
        data: data(functionName, args),
        gas: 200_000n,
        value,
      }),
    /** How a call of the contract fails. */
    fails: (
      functionName: string,
      args: unknown[],
      block: unknown = 'pending',
      ...others: object[]
    ) =>
      failure(() =>
        rpc('eth_call', { to: contract.address, data: data(functionName, args) }, block, ...others),
      ),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

async function failure(work: () => Promise<unknown>) {
  const error: unknown = await work().then(
    () => undefined,
    (reason) => reason,
  )
  if (!isObject(error)) throw new Error('No failure')
  const { name, message, solidityStack, transactionHash } = error
  return { name, message, solidityStack, transactionHash }
}

const explained = (message: string, name: string) => ({
  name: 'SolidityError',
  message: `execution reverted: ${message}`,
  solidityStack: expect.stringMatching(
    new RegExp(`^Failures\\.${name} \\(contracts/Failures\\.sol:\\d+\\)$`),
  ),
})

test('what is pre-confirmed and not sealed', async () => {
  await using stage = await createStage()
  await stage.send('store', [41n], 5n)
  expect(await stage.fails('storedBelow', [41n])).toMatchObject(
    explained('stored is too much', 'storedBelow'),
  )
  expect(await stage.fails('balanceBelow', [5n])).toMatchObject(
    explained('balance is too much', 'balanceBelow'),
  )
})

test('a cheat behind pre-confirmed transactions', async () => {
  await using stage = await createStage()
  await stage.send('store', [1n])
  const slot = await stage.rpc('eth_getStorageAt', stage.address, '0x1', 'pending')
  expect(slot).toBe(numberToHex(1, { size: 32 }))
  await stage.rpc('hardhat_setStorageAt', stage.address, '0x1', numberToHex(99, { size: 32 }))
  expect(await stage.fails('storedBelow', [99n])).toMatchObject(
    explained('stored is too much', 'storedBelow'),
  )
  // What is sealed does not have it.
  expect(await stage.fails('storedBelow', [99n], 'latest').catch((reason) => String(reason))).toBe(
    'Error: No failure',
  )
})

test("blocks that are earlier than the clock's time", async () => {
  await using stage = await createStage({
    frozen: true,
    timestamp: 1_600_000_000,
  })
  for (let blocks = 0; blocks < 3; blocks++) await stage.rpc('evm_mine')
  for (let times = 0; times < 2; times++) {
    expect(await stage.fails('storedBelow', [0n])).toMatchObject(
      explained('stored is too much', 'storedBelow'),
    )
  }
})

describe('the block', () => {
  const check = async (stage: Awaited<ReturnType<typeof createStage>>, tag: string) => {
    const block: Block = await stage.rpc('eth_getBlockByNumber', tag, false)
    const chainId = BigInt(await stage.rpc('eth_chainId'))
    const values = [
      hexToBigInt(block.number),
      hexToBigInt(block.timestamp),
      // Without a price, a call runs with a base fee of 0.
      0n,
      hexToBigInt(block.mixHash),
      chainId,
    ]
    for (const [index, reason] of [
      'number and time',
      '',
      'base fee',
      'randao',
      'chain',
    ].entries()) {
      if (reason === '') continue
      // All but this one differ.
      const args = values.map((value, at) =>
        at === index || (index === 0 && at === 1) ? value : value + 1n,
      )
      expect(await stage.fails('environment', args, tag)).toMatchObject(
        explained(reason, 'environment'),
      )
    }
  }

  test.each(['pending', 'latest', '0x2'])('%s', async (tag) => {
    await using stage = await createStage()
    await stage.rpc('hardhat_mine', '0x4', '0x7')
    await stage.rpc('hardhat_setPrevRandao', numberToHex(77, { size: 32 }))
    await stage.rpc('evm_setNextBlockTimestamp', '0x90000000')
    await stage.send('store', [1n])
    await check(stage, tag)
  })

  test('a base fee other than 0, which calls of Hardhat never see', async () => {
    await using stage = await createStage()
    const { baseFeePerGas }: Block = await stage.rpc('eth_getBlockByNumber', 'pending', false)
    const fee = hexToBigInt(baseFeePerGas)
    expect(fee).toBeGreaterThan(0n)
    const asking = (price: bigint, unwanted: bigint) =>
      failure(() =>
        stage.rpc(
          'eth_call',
          {
            to: stage.address,
            data: stage.data('environment', [0n, 0n, unwanted, 0n, 0n]),
            gasPrice: numberToHex(price),
          },
          'pending',
        ),
      )
    expect(await asking(10n * fee, fee)).toMatchObject({
      name: 'ProviderError',
      message: 'execution reverted: base fee',
    })
    expect(await asking(10n * fee, 1n)).toMatchObject(explained('none', 'environment'))
    expect(await asking(0n, 0n)).toMatchObject(explained('base fee', 'environment'))
  })

  test('by its hash', async () => {
    await using stage = await createStage()
    await stage.pendingNode.seal()
    const { hash }: Block = await stage.rpc('eth_getBlockByNumber', '0x1', false)
    expect(await stage.fails('custom', [5n], { blockHash: hash })).toMatchObject({
      name: 'SolidityError',
    })
  })

  test('the first one, with its contract put there', async () => {
    await using stage = await createStage()
    const code = await stage.rpc('eth_getCode', stage.address, 'pending')
    const overrides = { [stage.address]: { code } }
    expect(await stage.fails('reason', [], '0x0', overrides)).toMatchObject(
      explained('because', 'reason'),
    )
  })

  test('overrides of the request', async () => {
    await using stage = await createStage()
    await stage.pendingNode.seal()
    const blockOverrides = {
      number: '0x1234',
      time: '0x99999999',
      prevRandao: numberToHex(5, { size: 32 }),
    }
    expect(
      await stage.fails(
        'environment',
        [0x1234n, 0x99999999n, 1n, 1n, 1n],
        'latest',
        {},
        blockOverrides,
      ),
    ).toMatchObject(explained('number and time', 'environment'))
    expect(
      await stage.fails('environment', [1n, 1n, 1n, 5n, 1n], 'latest', {}, blockOverrides),
    ).toMatchObject(explained('randao', 'environment'))
  })
})

test('a chain of the OP Stack', async () => {
  const connection = await project.hre.network.create({ network: 'pending', chainType: 'op' })
  const { address, abi } = await connection.viem.deployContract('Failures')
  const data = encodeFunctionData({ abi, functionName: 'external_', args: [13n] })
  const params = [{ to: address, data }, 'pending'] as const
  const call = () => connection.provider.request({ method: 'eth_call', params: [...params] })
  expect(await failure(call)).toMatchObject({
    name: 'SolidityError',
    message: 'execution reverted: unlucky',
    solidityStack: expect.stringMatching(/^Strict\.set .*\nFailures\.external_ /),
  })
  await connection.close()
})

test('state overrides of the request', async () => {
  await using stage = await createStage()
  await stage.pendingNode.seal()
  const overrides = {
    [stage.address]: {
      balance: '0x777',
      stateDiff: { [numberToHex(1, { size: 32 })]: numberToHex(1234, { size: 32 }) },
    },
  }
  expect(await stage.fails('storedBelow', [1234n], 'latest', overrides)).toMatchObject(
    explained('stored is too much', 'storedBelow'),
  )
  expect(await stage.fails('balanceBelow', [0x777n], 'pending', overrides)).toMatchObject(
    explained('balance is too much', 'balanceBelow'),
  )
})

test('the sender that Hardhat adds, and the price', async () => {
  await using stage = await createStage()
  const [first] = await stage.rpc('eth_accounts')
  for (const transport of ['in-process', 'http'] as const) {
    await using other = await createStage({ frozen: true, transport })
    expect(await other.fails('senderIs', [first])).toMatchObject(explained('sender is', 'senderIs'))
  }
  const request = { to: stage.address, data: stage.data('paysLess', [5n]), from: first }
  for (const fees of [
    { gasPrice: '0x77359400' },
    { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x5' },
  ]) {
    expect(
      await failure(() => stage.rpc('eth_call', { ...request, ...fees }, 'pending')),
    ).toMatchObject(explained('price is too high', 'paysLess'))
  }
})

test('an account that delegates to the contract (EIP-7702)', async () => {
  await using stage = await createStage()
  const key = `0x${'12'.repeat(32)}` as const
  const account = privateKeyToAccount(key)
  await stage.rpc('hardhat_setBalance', account.address, '0xde0b6b3a7640000')
  const chainId = Number(await stage.rpc('eth_chainId'))
  const authorization = await account.signAuthorization({
    contractAddress: stage.address,
    chainId,
    nonce: 0,
  })
  await stage.client.sendTransaction({
    to: account.address,
    authorizationList: [authorization],
    gas: 200_000n,
  })
  const call = { to: account.address, data: stage.data('reason', []) }
  expect(await failure(() => stage.rpc('eth_call', call, 'pending'))).toMatchObject(
    explained('because', 'reason'),
  )
})

describe('transactions', () => {
  test('in the midst of a block, before and after its seal', async () => {
    await using stage = await createStage()
    await stage.send('store', [3n])
    const failing = await stage.send('storedBelow', [3n])
    await stage.rpc('hardhat_setStorageAt', stage.address, '0x1', numberToHex(0, { size: 32 }))
    await stage.send('store', [1n])
    const { pendingNode } = stage.connection
    const seen = async () => {
      const error = await pendingNode.failure(failing)
      return error && { ...error, message: error.message, solidityStack: error.solidityStack }
    }
    const before = await seen()
    expect(before).toMatchObject({
      ...explained('stored is too much', 'storedBelow'),
      code: 3,
      transactionHash: failing,
    })
    await pendingNode.seal()
    expect(await seen()).toEqual(before)
  })

  test('of success there is no failure, and what is unknown is said', async () => {
    await using stage = await createStage()
    const hash = await stage.send('store', [3n])
    const { pendingNode } = stage.connection
    expect(await pendingNode.failure(hash)).toBeUndefined()
    await expect(pendingNode.failure(`0x${'12'.repeat(32)}`)).rejects.toThrow('does not know')
  })

  test('a lack of gas is told without frames', async () => {
    await using stage = await createStage()
    const hash = await stage.send('burns', [])
    const error = await stage.connection.pendingNode.failure(hash)
    expect(error).toMatchObject({ code: -32000, message: 'out of gas', transactionHash: hash })
    expect(error).not.toHaveProperty('solidityStack')
  })

  test('a creation', async () => {
    await using stage = await createStage()
    const { bytecode } = await project.hre.artifacts.readArtifact('Built')
    const data = `${bytecode as Hex}${numberToHex(1, { size: 32 }).slice(2)}` as Hex
    const hash = await stage.client.sendTransaction({ data, gas: 500_000n })
    expect(await stage.connection.pendingNode.failure(hash)).toMatchObject({
      message: 'execution reverted: built of too little',
      solidityStack: expect.stringMatching(/^Built\.constructor \(contracts\/Failures\.sol:\d+\)$/),
    })
  })

  test.each(['in-process', 'http'] as const)(
    'instant sends throw, with the hash; %s',
    async (transport) => {
      await using stage = await createStage({ instant: true, transport })
      const { message, ...error } = await failure(() => stage.send('store', [7n]).catch(innermost))
      const { transactionHash } = error
      expect({ message, ...error }).toMatchObject(explained('seven', 'store'))
      expect(await stage.rpc('eth_getTransactionReceipt', transactionHash)).toMatchObject({
        status: '0x0',
      })
    },
  )

  test('equal instant sends at once have each its own hash', async () => {
    await using stage = await createStage({ instant: true })
    const sends = Array.from({ length: 4 }, () =>
      failure(() => stage.send('store', [7n]).catch(innermost)),
    )
    const hashes = (await Promise.all(sends)).map(({ transactionHash }) => transactionHash)
    expect(new Set(hashes).size).toBe(4)
    for (const hash of hashes) {
      expect(await stage.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
    }
  })

  test('raw instant sends', async () => {
    await using stage = await createStage({ instant: true })
    const account = privateKeyToAccount(`0x${'34'.repeat(32)}`)
    await stage.rpc('hardhat_setBalance', account.address, '0xde0b6b3a7640000')
    const raw = await account.signTransaction({
      chainId: Number(await stage.rpc('eth_chainId')),
      type: 'eip1559',
      to: stage.address,
      data: stage.data('store', [7n]),
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      nonce: 0,
    })
    expect(await failure(() => stage.rpc('eth_sendRawTransaction', raw))).toMatchObject({
      ...explained('seven', 'store'),
      transactionHash: await stage.rpc('web3_sha3', raw),
    })
  })
})

/** Throws what a client has wrapped. */
function innermost(error: unknown): never {
  let found = error
  while (isObject(found) && found.cause !== undefined) found = found.cause
  throw found
}

describe('other hardforks', () => {
  test.each(['london', 'paris', 'shanghai', 'cancun', 'prague', 'bpo2', 'amsterdam'] as const)(
    '%s',
    async (hardfork) => {
      await using connection = await project.hre.network.create({
        network: 'pending',
        override: { pendingNode: { hardfork } },
      })
      const rpc = (method: string, ...params: unknown[]) =>
        connection.provider.request({ method, params })
      const { deployedBytecode } = await project.hre.artifacts.readArtifact('Inlined')
      const to = '0x00000000000000000000000000000000000000aa'
      await rpc('hardhat_setCode', to, deployedBytecode)
      expect(
        await failure(() => rpc('eth_call', { to, data: '0x01020304' }, 'pending')),
      ).toMatchObject({
        name: 'SolidityError',
        message: expect.stringContaining('function selector was not recognized'),
      })
    },
  )
})
