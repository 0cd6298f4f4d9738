import { createHash } from 'node:crypto'
import { concatHex, type Hex, numberToHex, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { EMPTY_REQUESTS_HASH } from '../../../../devnet/protocol/header.ts'
import {
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../../devnet/protocol/systemContracts.ts'
import { createTestChain, type TestChain } from '../../../support/chain.ts'
import { exportBlocks, temporaryFile } from '../../../support/genesisFile.ts'
import { failure, GENESIS, load } from './threeBlocks.ts'

/** The genesis file with other accounts; `undefined` leaves one out. */
function genesisWith(accounts: Readonly<Record<string, { code: Hex } | undefined>>): object {
  return { ...GENESIS, alloc: { ...Object(GENESIS.alloc), ...accounts } }
}

/** A node on this genesis file that has sealed a block with a call of `to`, if given. */
async function sealOne(genesis: object, call?: { to: Hex; data: Hex }): Promise<TestChain> {
  const node = await createTestChain({ genesis: temporaryFile('genesis.json', genesis) })
  if (call !== undefined) {
    const account = privateKeyToAccount(node.accounts[0]?.privateKey ?? '0x')
    const fees = { gas: 200_000n, maxFeePerGas: 10n ** 10n, chainId: 4242 }
    await node.send(await account.signTransaction({ type: 'eip1559', ...fees, ...call }))
  }
  await node.clocks.advanceBlocks(1)
  return node
}

/** EIP-7685. */
function hashOf(...requests: readonly Hex[]): Hex {
  const sha256 = (...parts: readonly Uint8Array[]) => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
  return toHex(sha256(...requests.map((request) => sha256(fromHex(request)))))
}

describe('a request contract', () => {
  test.each<[string, { code: Hex } | undefined, string]>([
    ['that is missing', undefined, 'has no code at ADDRESS, where the contract of KIND must be'],
    [
      'that reverts',
      { code: '0x5f5ffd' },
      'calls the contract of KIND, ADDRESS, which fails: revert',
    ],
    [
      'that is invalid',
      { code: '0xfe' },
      'calls the contract of KIND, ADDRESS, which fails: invalid opcode',
    ],
    [
      'that runs out of gas',
      { code: '0x62ffffff6000a0' },
      'calls the contract of KIND, ADDRESS, which fails: out of gas',
    ],
  ])('%s does not stop the node, but no other takes its block', async (_, account, problem) => {
    for (const [{ address }, kind] of [
      [WITHDRAWAL_REQUESTS, 'withdrawal requests'],
      [CONSOLIDATION_REQUESTS, 'consolidation requests'],
    ] as const) {
      const genesis = genesisWith({ [address]: account })
      const { chain, clocks } = await sealOne(genesis)
      expect(chain.head.header.requestsHash).toEqual(EMPTY_REQUESTS_HASH)
      await clocks.advanceBlocks(1)
      expect(chain.head.number).toBe(2)
      expect(await failure(exportBlocks(chain), { genesis })).toBe(
        `chain.rlp, byte 0: block 1 ${problem.replace('ADDRESS', address).replace('KIND', kind)}.`,
      )
    }
  })

  test('other code runs at each seal, and its requests count', async () => {
    // SSTORE(9, SLOAD(9) + 1), MSTORE8(0, SLOAD(9)), RETURN(0, 1): a queue whose slots are empty.
    const code = '0x6009546001018060095560005360015ff3'
    const genesis = genesisWith({ [CONSOLIDATION_REQUESTS.address]: { code } })
    const { chain, clocks } = await sealOne(genesis)
    await clocks.advanceBlocks(1)
    const made = [1, 2].map((number) => chain.history.byNumber(number)?.header.requestsHash)
    expect(made).toEqual([fromHex(hashOf('0x0201')), fromHex(hashOf('0x0202'))])
    const { base } = await load(exportBlocks(chain), { genesis })
    expect(base.history.head.hash).toBe(chain.head.hash)
  })
})

describe('a deposit log (EIP-6110)', () => {
  const CONTRACT: Hex = `0x${'d0'.repeat(20)}`
  const TOPIC = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
  // CALLDATACOPY(0, 0, CALLDATASIZE), LOG1(0, CALLDATASIZE, TOPIC)
  const genesis = {
    ...genesisWith({ [CONTRACT]: { code: `0x365f5f377f${TOPIC}365fa100` } }),
    config: { ...Object(GENESIS.config), depositContractAddress: CONTRACT },
  }

  /** Key, credentials, amount, signature and index, where the ABI puts them. */
  const PARTS: readonly Hex[] = [
    `0x${'a1'.repeat(48)}`,
    `0x${'b2'.repeat(32)}`,
    `0x${'c3'.repeat(8)}`,
    `0x${'d4'.repeat(96)}`,
    `0x${'e5'.repeat(8)}`,
  ]
  const number = (value: number) => pad(numberToHex(value))
  const field = (part: Hex) => {
    const length = (part.length - 2) / 2
    const padded = pad(part, { dir: 'right', size: Math.ceil(length / 32) * 32 })
    return concatHex([number(length), padded])
  }
  const layout = (offsets: readonly number[]) =>
    concatHex([...offsets.map(number), ...PARTS.map(field)])
  const OFFSETS = [160, 256, 320, 384, 512]
  const GOOD = layout(OFFSETS)

  const changedAt = (byte: number): Hex => {
    const bytes = fromHex(GOOD).slice()
    bytes[byte] = (bytes[byte] ?? 0) ^ 1
    return toHex(bytes)
  }

  test('default: is a request', async () => {
    const { chain } = await sealOne(genesis, { to: CONTRACT, data: GOOD })
    expect(toHex(chain.head.header.requestsHash ?? EMPTY_REQUESTS_HASH)).toBe(
      hashOf(concatHex(['0x00', ...PARTS])),
    )
    const { base } = await load(exportBlocks(chain), { genesis })
    expect(base.history.head.hash).toBe(chain.head.hash)
  })

  test('what pads a field does not matter', async () => {
    // The last byte of the data, behind the index.
    const { chain } = await sealOne(genesis, { to: CONTRACT, data: changedAt(575) })
    expect(toHex(chain.head.header.requestsHash ?? EMPTY_REQUESTS_HASH)).toBe(
      hashOf(concatHex(['0x00', ...PARTS])),
    )
    await load(exportBlocks(chain), { genesis })
  })

  test.each<[string, Hex]>([
    ['no data', '0x'],
    ['a byte too few', GOOD.slice(0, -2) as Hex],
    ['a byte too many', `${GOOD}00`],
    ...OFFSETS.map((_, index): [string, Hex] => [
      `another offset of field ${index}`,
      changedAt(32 * index + 31),
    ]),
    ...OFFSETS.map((offset, index): [string, Hex] => [
      `another length of field ${index}`,
      changedAt(offset + 31),
    ]),
    ['an offset beyond all numbers', changedAt(0)],
  ])('with %s it does not stop the node, but no other takes its block', async (_, data) => {
    const { chain } = await sealOne(genesis, { to: CONTRACT, data })
    expect(chain.head.executed[0]).toMatchObject({ success: true, logs: [expect.anything()] })
    expect(chain.head.header.requestsHash).toEqual(EMPTY_REQUESTS_HASH)
    expect(await failure(exportBlocks(chain), { genesis })).toBe(
      `chain.rlp, byte 0: block 1 has a deposit log whose ${(data.length - 2) / 2} bytes of data are not laid out as in EIP-6110.`,
    )
  })
})
