import { numberToHex, parseTransaction, serializeTransaction, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCrypto } from '../../../devnet/engine/crypto.ts'
import { Executor } from '../../../devnet/engine/executor.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { forkRules, type HardforkName } from '../../../devnet/protocol/forks.ts'
import { Codes } from '../../../devnet/state/codes.ts'

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)

let executorOf: (hardfork: HardforkName) => Executor
beforeAll(async () => {
  const crypto = await loadCrypto()
  executorOf = (hardfork) => {
    const codes = new Codes(crypto.keccak256)
    return new Executor({ rules: forkRules(hardfork), crypto, codes, engine: 'fast' })
  }
})

describe('a signature with the other s (EIP-2)', () => {
  /** Signed by the account as well, for those who allow it. */
  async function mirrored(): Promise<Uint8Array> {
    const fields = { type: 'legacy', gas: 21_000n, gasPrice: 1n } as const
    const { r, s, v } = parseTransaction(await account.signTransaction(fields))
    if (r === undefined || s === undefined || v === undefined) throw new Error('Not signed')
    const high: `0x${string}` = `0x${(CURVE_ORDER - BigInt(s)).toString(16).padStart(64, '0')}`
    return fromHex(serializeTransaction(fields, { r, s: high, v: 55n - v }))
  }

  test('default: is refused', async () => {
    const raw = await mirrored()
    expect(() => executorOf('bpo2').decode(raw)).toThrow('invalid sender')
    expect(() => executorOf('homestead').decode(raw)).toThrow('invalid sender')
  })

  test('is valid in the first hardfork', async () => {
    const executor = executorOf('chainstart')
    const { fields } = executor.identify(executor.decode(await mirrored()))
    expect(toHex(fields.from)).toBe(account.address.toLowerCase())
  })
})

describe('a number of fields that no transaction has', () => {
  test.each([
    [8, 'transaction has 8 fields, but one of type 0 has 9'],
    [15, 'transaction has 15 fields, but one of type 0 has 9'],
    [100_000, 'transaction has more than 15 items in its fields'],
  ])('error: %i', (count, message) => {
    const raw = fromHex(toRlp(Array.from({ length: count }, () => '0x01' as const)))
    expect(() => executorOf('bpo2').decode(raw)).toThrow(message)
  })
})

describe('types before their hardfork', () => {
  const fields = { chainId: 1, nonce: 0, gas: 21_000n }

  test.each<[HardforkName, number, () => Promise<`0x${string}`>]>([
    ['istanbul', 1, () => account.signTransaction({ type: 'eip2930', gasPrice: 1n, ...fields })],
    ['berlin', 2, () => account.signTransaction({ type: 'eip1559', maxFeePerGas: 1n, ...fields })],
    [
      'shanghai',
      3,
      () =>
        account.signTransaction({
          type: 'eip4844',
          to: account.address,
          maxFeePerGas: 1n,
          maxFeePerBlobGas: 1n,
          blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
          ...fields,
        }),
    ],
  ])('error: under %s, type %d', async (hardfork, type, sign) => {
    const raw = fromHex(await sign())
    expect(() => executorOf(hardfork).decode(raw)).toThrow(
      `transaction type not supported: type ${type} under hardfork ${hardfork}`,
    )
    expect(executorOf('bpo2').decode(raw).fields.type).toBe(type)
  })
})

describe('a signature that names its chain (EIP-155)', () => {
  const fields = { type: 'legacy', gas: 21_000n, gasPrice: 1n } as const

  /** Nonce, gas price, gas, recipient, value, data. */
  const UNSIGNED = ['0x', '0x01', '0x5208', account.address, '0x', '0x'] as const

  test.each<HardforkName>(['chainstart', 'homestead', 'dao', 'tangerineWhistle'])(
    'error: under %s',
    async (hardfork) => {
      const [r, s] = ['0x01', '0x02'] as const
      const executor = executorOf(hardfork)
      // Of no chain, of this one, and of others.
      for (const v of [35, 36, 37, 38, 39, 1_000_000]) {
        const signed = [...UNSIGNED, numberToHex(v), r, s]
        expect(() => executor.decode(fromHex(toRlp(signed)))).toThrow(
          'invalid sender: a signature that names its chain (EIP-155) is not valid before ' +
            'Spurious Dragon; sign without a chain id',
        )
      }
      const signed = fromHex(await account.signTransaction({ ...fields, chainId: 1 }))
      expect(() => executor.decode(signed)).toThrow('before Spurious Dragon')
      const plain = fromHex(await account.signTransaction(fields))
      expect(toHex(executor.identify(executor.decode(plain)).fields.from)).toBe(
        account.address.toLowerCase(),
      )
    },
  )

  test('is valid since Spurious Dragon', async () => {
    const raw = fromHex(await account.signTransaction({ ...fields, chainId: 1 }))
    const executor = executorOf('spuriousDragon')
    expect(toHex(executor.identify(executor.decode(raw)).fields.from)).toBe(
      account.address.toLowerCase(),
    )
  })
})
