import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  chainIdOf,
  transactionFromJson,
  transactionToJson,
} from '../../../../devnet/persistence/dump/transactionJson.ts'
import { JsonFields } from '../../../../devnet/persistence/jsonFields.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { runAtOnce } from '../../../../devnet/primitives/paced.ts'
import { toChainTransaction } from '../../../../devnet/protocol/transaction.ts'
import { createTestChain } from '../../../support/chain.ts'

const account = privateKeyToAccount(generatePrivateKey())
const TO = '0x00000000000000000000000000000000000000aa'
const SLOT: Hex = `0x${'07'.repeat(32)}`
const common = { nonce: 300, gas: 90_000n, to: TO, value: 5n, data: '0x1234' } as const
const fees = { chainId: 31337, maxFeePerGas: 30n * 10n ** 9n, maxPriorityFeePerGas: 0n } as const
const accessList = [{ address: TO, storageKeys: [SLOT, `0x${'00'.repeat(32)}`] }] as const

const signed: Record<string, () => Promise<Hex>> = {
  legacy: () =>
    account.signTransaction({ type: 'legacy', chainId: 31337, gasPrice: 7n, ...common }),
  'legacy without a chain id': () =>
    account.signTransaction({ type: 'legacy', gasPrice: 7n, ...common }),
  'legacy creation': () => {
    const { to: _, ...rest } = common
    return account.signTransaction({ type: 'legacy', chainId: 31337, gasPrice: 0n, ...rest })
  },
  'EIP-2930': () =>
    account.signTransaction({
      type: 'eip2930',
      chainId: 31337,
      gasPrice: 7n,
      accessList,
      ...common,
    }),
  'EIP-1559': () => account.signTransaction({ type: 'eip1559', accessList, ...fees, ...common }),
  'EIP-4844': () =>
    account.signTransaction({
      type: 'eip4844',
      maxFeePerBlobGas: 9n,
      blobVersionedHashes: [`0x01${'22'.repeat(31)}`, `0x01${'33'.repeat(31)}`],
      ...fees,
      ...common,
    }),
  'EIP-7702': async () =>
    account.signTransaction({
      type: 'eip7702',
      authorizationList: [
        await account.signAuthorization({ contractAddress: TO, chainId: 0, nonce: 0 }),
        await account.signAuthorization({ contractAddress: TO, chainId: 31337, nonce: 300 }),
      ],
      ...fees,
      ...common,
    }),
}

/** The transaction as the mempool has it. */
async function read(raw: Hex) {
  const { engine } = await createTestChain()
  const executor = await engine.executor()
  return toChainTransaction(executor.identify(executor.decode(fromHex(raw))))
}

describe('there and back', () => {
  test.each(Object.keys(signed))('%s', async (name) => {
    const raw = (await signed[name]?.()) ?? '0x'
    const json = transactionToJson(await read(raw))
    const back = transactionFromJson(runAtOnce(JsonFields.parse('x', JSON.stringify(json))))
    expect(toHex(back)).toBe(raw)
    expect(json.hash).toBe(keccak256(raw))
    expect(chainIdOf(back)).toBe(name === 'legacy without a chain id' ? undefined : 31337)
  })
})

test('as anvil writes it', async () => {
  const raw = (await signed['EIP-1559']?.()) ?? '0x'
  expect(transactionToJson(await read(raw))).toEqual({
    type: '0x2',
    chainId: '0x7a69',
    nonce: '0x12c',
    maxPriorityFeePerGas: '0x0',
    maxFeePerGas: '0x6fc23ac00',
    gas: '0x15f90',
    to: TO,
    value: '0x5',
    input: '0x1234',
    accessList,
    yParity: expect.stringMatching(/^0x[01]$/),
    v: expect.stringMatching(/^0x[01]$/),
    r: expect.stringMatching(/^0x[1-9a-f][0-9a-f]+$/),
    s: expect.stringMatching(/^0x[1-9a-f][0-9a-f]+$/),
    hash: keccak256(raw),
  })
})

test('bytes that are no transaction have no chain id', () => {
  for (const raw of ['0x', '0x02', '0x02ff', '0xff', '0xc0', '0x03c0']) {
    expect(chainIdOf(fromHex(raw)), raw).toBe(undefined)
  }
})
