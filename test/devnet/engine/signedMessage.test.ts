import { createTxFromRLP } from '@ethereumjs/tx'
import { type Hex, type TransactionSerializable, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../devnet/engine/fixedCommon.ts'
import { readSignedMessage } from '../../../devnet/engine/signedMessage.ts'
import { runs } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'

const crypto = await loadCrypto()
const signer = privateKeyToAccount(`0x${'01'.repeat(32)}`)

function bytesOf(hex: Hex): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

/** The library's result, encoded again from all fields. */
function fromLibrary(raw: Uint8Array, chainId: number) {
  const common = createFixedCommon({ chainId, hardfork: 'bpo2', crypto })
  const tx = createTxFromRLP(raw, { common, freeze: false })
  const integer = (value = 0n) => value.toString(16).padStart(64, '0')
  return {
    tx,
    message: {
      hash: Buffer.from(tx.getMessageToVerifySignature()).toString('hex'),
      signature: integer(tx.r) + integer(tx.s),
    },
  }
}

function ours(tx: ReturnType<typeof fromLibrary>['tx'], raw: Uint8Array) {
  const { hash, signature } = readSignedMessage(tx, raw, 0, crypto)
  return {
    hash: Buffer.from(hash).toString('hex'),
    signature: Buffer.from(signature).toString('hex'),
  }
}

function hexOf(random: Random, length: number): Hex {
  return toHex(Uint8Array.from({ length }, () => random.below(256)))
}

async function randomTransaction(random: Random, chainId: number): Promise<Hex> {
  const data = hexOf(random, random.pick([0, 1, 2, 20, 54, 55, 56, 57, 255, 256, 300, 65_536]))
  const base = {
    nonce: random.pick([0, 1, 127, 128, 255, 256, 70_000]),
    gas: 5_000_000n,
    value: BigInt(random.pick(['0', '1', '127', '128', '1000000000000000000'])),
    data,
    ...(random.once(5) && data.length < 40_000 ? {} : { to: hexOf(random, 20) }),
  }
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: BigInt(random.below(300)) }
  const accessList = Array.from({ length: random.below(4) }, () => ({
    address: hexOf(random, 20),
    storageKeys: Array.from({ length: random.below(3) }, () => hexOf(random, 32)),
  }))
  const recipient = hexOf(random, 20)
  const kinds: TransactionSerializable[] = [
    { ...base, type: 'legacy', gasPrice: 10n ** 9n },
    { ...base, type: 'legacy', gasPrice: 10n ** 9n, chainId },
    { ...base, type: 'eip2930', gasPrice: 10n ** 9n, chainId, accessList },
    { ...base, type: 'eip1559', ...fees, chainId, accessList },
    {
      ...base,
      to: recipient,
      type: 'eip4844',
      ...fees,
      chainId,
      accessList,
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: [`0x01${'22'.repeat(31)}`],
    },
    {
      ...base,
      to: recipient,
      type: 'eip7702',
      ...fees,
      chainId,
      accessList,
      authorizationList: [
        { address: recipient, chainId, nonce: 1, r: `0x${'11'.repeat(32)}`, s: '0x01', yParity: 0 },
      ],
    },
  ]
  // viem's own type for what it signs is a union of exact ones.
  return signer.signTransaction(random.pick(kinds) as TransactionSerializable & { type: 'eip1559' })
}

test.each([1, 127, 128, 31_337, 2 ** 32 + 5])('args: chain %i', async (chainId) => {
  const random = new Random(chainId)
  for (let count = 0; count < runs(240); count++) {
    const raw = bytesOf(await randomTransaction(random, chainId))
    const { tx, message } = fromLibrary(raw, chainId)
    expect(ours(tx, raw)).toEqual(message)
  }
})

test('behavior: whatever the library still reads with a byte or two changed', async () => {
  const random = new Random(7)
  let read = 0
  let refused = 0
  for (let count = 0; count < runs(10_000); count++) {
    const raw = bytesOf(await cached(random, count % 40))
    for (let change = random.below(2); change >= 0; change--) {
      // Half of them at the lengths.
      const place = random.below(random.once(2) ? 12 : raw.length)
      raw[place] = random.pick([0, 0x80, 0x81, 0xb8, 0xc0, 0xf8, random.below(256)])
    }
    let expected: ReturnType<typeof fromLibrary>
    try {
      expected = fromLibrary(raw, 31_337)
    } catch {
      refused++
      continue
    }
    read++
    expect(ours(expected.tx, raw)).toEqual(expected.message)
  }
  expect({ read: read > 200, refused: refused > 200 }).toEqual({ read: true, refused: true })
})

test('behavior: a chain id with a zero in front, which the library overlooks', () => {
  const fields = ['820001', '80', '01', '02', '825208', `94${'dd'.repeat(20)}`, '80', '80', 'c0']
  const list = [...fields, '80', '01', '02'].join('')
  const raw = bytesOf(`0x02${(0xc0 + list.length / 2).toString(16)}${list}`)
  const { tx, message } = fromLibrary(raw, 1)
  expect(ours(tx, raw)).toEqual(message)
})

const signed = new Map<number, Promise<Hex>>()

function cached(random: Random, index: number): Promise<Hex> {
  const known = signed.get(index) ?? randomTransaction(random, 31_337)
  signed.set(index, known)
  return known
}
