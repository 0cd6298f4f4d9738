import {
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  createTestClient,
  encodeFunctionData,
  FeeCapTooLowError,
  type Hex,
  http,
  InsufficientFundsError,
  IntrinsicGasTooLowError,
  NonceTooLowError,
  parseEther,
  publicActions,
  TipAboveFeeCapError,
  walletActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Devnet } from '../../devnet/types.ts'
import { artifact } from '../support/solidity.ts'

const playground = artifact('Playground')
const token = artifact('Token')
const NOBODY: Hex = '0x00000000000000000000000000000000000000dd'
const ETHER: Hex = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

describe.each(['string', 'object'] as const)('simulateErrors: %s', (simulateErrors) => {
  let devnet: Devnet
  let contracts: { playground: Hex; token: Hex }

  const account = () => privateKeyToAccount(devnet.accounts[0]?.privateKey ?? '0x')
  const connect = () =>
    createTestClient({
      mode: 'hardhat',
      chain: hardhat,
      transport: http(devnet.url),
      account: account(),
      cacheTime: 0,
    })
      .extend(publicActions)
      .extend(walletActions)

  beforeAll(async () => {
    devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000, simulateErrors })
    await devnet.start()
    const client = connect()
    const deploy = async ({ abi, bytecode }: typeof token, args: unknown[]) => {
      const hash = await client.deployContract({ abi, bytecode, args })
      await devnet.clock.advance({ ticks: 1 })
      const { contractAddress } = await client.getTransactionReceipt({ hash })
      if (!contractAddress) throw new Error('It was deployed')
      return contractAddress
    }
    contracts = { playground: await deploy(playground, []), token: await deploy(token, [1000n]) }
    await devnet.clock.seal()
  })

  afterAll(() => devnet.stop())

  const play = (functionName: string, args: readonly unknown[] = []) => ({
    abi: playground.abi,
    to: contracts.playground,
    functionName,
    args,
  })

  describe('simulateBlocks', () => {
    test('default: values, decoded results and logs, over two blocks', async () => {
      const { address } = account()
      const [first, second] = await connect().simulateBlocks({
        blocks: [
          {
            // No gap: viem takes the blocks that fill it for those asked for.
            blockOverrides: { number: 2n, time: 1_900_000_000n },
            stateOverrides: [{ address: NOBODY, balance: parseEther('5') }],
            calls: [
              { ...play('store', [1n, 42n]), account: address },
              { ...play('environment') },
              { account: NOBODY, to: address, value: parseEther('2') },
            ],
          },
          { calls: [{ ...play('stored', [1n]) }] },
        ],
        traceTransfers: true,
      })
      expect(first).toMatchObject({ number: 2n, timestamp: 1_900_000_000n, baseFeePerGas: 0n })
      expect(first?.calls).toMatchObject([
        {
          status: 'success',
          data: '0x',
          result: null,
          gasUsed: expect.any(BigInt),
          maxUsedGas: expect.any(BigInt),
          logs: [
            {
              address: contracts.playground,
              logIndex: 0,
              blockNumber: 2n,
              blockHash: first?.hash,
              transactionIndex: 0,
            },
          ],
        },
        { status: 'success', result: expect.arrayContaining([2n, 1_900_000_000n]) },
        { status: 'success', logs: [{ address: ETHER, logIndex: 1 }] },
      ])
      expect(second?.calls).toMatchObject([{ status: 'success', result: 42n }])
    })

    /** Why a call failed, as viem decodes it. */
    async function failure(call: object): Promise<BaseError> {
      const [block] = await connect().simulateBlocks({
        blocks: [{ calls: [{ account: account().address, to: contracts.playground, ...call }] }],
      })
      const result = block?.calls[0]
      expect(result).toMatchObject({ status: 'failure', logs: [] })
      const error: unknown = result?.error
      if (!(error instanceof ContractFunctionExecutionError)) throw error
      return error
    }

    const revert = async (call: object) => {
      const error = (await failure(call)).walk(
        (one) => one instanceof ContractFunctionRevertedError,
      )
      if (!(error instanceof ContractFunctionRevertedError)) throw error
      return error
    }

    test('reverts with a custom error', async () => {
      expect((await revert(play('failWithError', [7n]))).data).toMatchObject({
        errorName: 'Refused',
        args: [account().address, 7n],
      })
    })

    test('reverts with a reason', async () => {
      expect(await revert(play('failWithReason', ['no luck']))).toMatchObject({ reason: 'no luck' })
    })

    test('panics', async () => {
      expect((await revert(play('failWithPanic', [[]]))).data).toMatchObject({
        errorName: 'Panic',
        args: [0x32n],
      })
    })

    test('reverts with nothing, and halts', async () => {
      const empty = await failure({ to: contracts.playground, data: '0xffffffff' })
      expect(empty.shortMessage).toContain('returned no data ("0x")')
      const halted = await failure({ ...play('burnGas', [10_000n]), gas: 50_000n })
      expect(halted.shortMessage).toContain('returned no data ("0x")')
    })

    test('args: returnFullTransactions', async () => {
      const [block] = await connect().simulateBlocks({
        blocks: [{ calls: [{ account: account().address, to: NOBODY, value: 1n }] }],
        returnFullTransactions: true,
      })
      expect(block?.transactions).toMatchObject([
        { from: account().address.toLowerCase(), to: NOBODY, value: 1n },
      ])
    })

    test.each<[string, object, object, abstract new (...args: never[]) => Error]>([
      ['funds', { account: NOBODY, value: 1n }, {}, InsufficientFundsError],
      ['gas', { gas: 20_000n }, {}, IntrinsicGasTooLowError],
      ['base fee', {}, { validation: true }, FeeCapTooLowError],
      ['nonce', { nonce: 0 }, { validation: true }, NonceTooLowError],
      [
        'tip',
        // What viem itself refuses is not sent.
        { maxPriorityFeePerGas: 2n },
        {},
        TipAboveFeeCapError,
      ],
    ])('the request fails: %s', async (_, call, more, type) => {
      const run = connect().simulateBlocks({
        blocks: [{ calls: [{ account: account().address, to: NOBODY, ...call }] }],
        ...more,
      })
      const error = await run.then(
        () => undefined,
        (one: unknown) => one,
      )
      if (!(error instanceof BaseError)) throw error
      expect(error.walk((one) => one instanceof type)).toBeInstanceOf(type)
    })
  })

  describe('simulateCalls', () => {
    test('default: results in order, the failed ones with their reason', async () => {
      const { results, block } = await connect().simulateCalls({
        account: account().address,
        calls: [
          play('store', [5n, 6n]),
          play('stored', [5n]),
          play('failWithReason', ['no']),
          { to: NOBODY, value: 1n },
        ],
      })
      expect(results).toMatchObject([
        { status: 'success' },
        { status: 'success', result: 6n },
        { status: 'failure', error: { cause: { reason: 'no' } } },
        { status: 'success' },
      ])
      expect(block.number).toBe(2n)
    })

    test.each(['latest', 'pending'] as const)(
      'args: traceAssetChanges, on %s',
      async (blockTag) => {
        const client = connect()
        const { address } = account()
        const balance = await client.getBalance({ address, blockTag })
        const transfer = (to: Hex, value: bigint) => ({
          to: contracts.token,
          data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, value] }),
        })
        const { assetChanges, results } = await client.simulateCalls({
          account: address,
          blockTag,
          calls: [
            transfer(NOBODY, 300n),
            transfer(NOBODY, 10_000n),
            { to: NOBODY, value: parseEther('1.5') },
          ],
          traceAssetChanges: true,
        })
        expect(results.map(({ status }) => status)).toEqual(['success', 'failure', 'success'])
        expect(assetChanges).toEqual([
          {
            token: { address: ETHER, decimals: 18, symbol: 'ETH' },
            value: { pre: balance, post: balance - parseEther('1.5'), diff: -parseEther('1.5') },
          },
          {
            token: { address: contracts.token, decimals: 18, symbol: undefined },
            value: { pre: 1000n, post: 700n, diff: -300n },
          },
        ])
      },
    )
  })
})
