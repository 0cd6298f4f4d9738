import { createTxFromRLP } from '@ethereumjs/tx'
import { type Hex, type TransactionSerializable, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../devnet/engine/crypto.ts'
import { decodeTransaction } from '../../../devnet/engine/decodeTransaction.ts'
import { createFixedCommon } from '../../../devnet/engine/library/fixedCommon.ts'
import { ZERO_ADDRESS } from '../../../devnet/primitives/bytes.ts'
import { DevnetError } from '../../../devnet/primitives/errors.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import { intrinsicGas } from '../../../devnet/protocol/gas.ts'
import { DEPOSIT_TYPE } from '../../../devnet/protocol/rollup/depositTransaction.ts'
import { runs } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'

const crypto = await loadCrypto()
const signer = privateKeyToAccount(`0x${'01'.repeat(32)}`)

function bytesOf(hex: Hex): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

const hex = (bytes: Uint8Array) => toHex(bytes)

/** What the library reads, in the form of {@link ours}. */
function fromLibrary(raw: Uint8Array, chainId: number) {
  const common = createFixedCommon({ chainId, hardfork: 'bpo2', crypto })
  const tx = createTxFromRLP(raw, { common, freeze: false })
  if (!tx.isSigned()) throw new Error('not signed')
  const integer = (value = 0n) => value.toString(16).padStart(64, '0')
  const price = 'maxFeePerGas' in tx ? tx.maxFeePerGas : tx.gasPrice
  const { type, nonce, gasLimit, value } = tx
  return {
    fields: {
      type,
      nonce,
      gasLimit,
      value,
      to: tx.to === undefined ? undefined : hex(tx.to.bytes),
      data: hex(tx.data),
      maxFeePerGas: price,
      maxPriorityFeePerGas: 'maxPriorityFeePerGas' in tx ? tx.maxPriorityFeePerGas : price,
      accessList:
        'accessList' in tx ? tx.accessList.map(([to, all]) => [hex(to), all.map(hex)]) : [],
      maxFeePerBlobGas: 'maxFeePerBlobGas' in tx ? tx.maxFeePerBlobGas : 0n,
      blobVersionedHashes: 'blobVersionedHashes' in tx ? tx.blobVersionedHashes : [],
      authorizationList:
        'authorizationList' in tx ? tx.authorizationList.map((one) => one.map(hex)) : [],
    },
    hash: hex(crypto.keccak256(tx.serialize())),
    signed: hex(tx.getHashedMessageToSign()),
    signature: `0x${integer(tx.r)}${integer(tx.s)}`,
    gas: [tx.getIntrinsicGas(), tx.getMinimumGasLimit()],
  }
}

function ours(raw: Uint8Array, chainId: number): ReturnType<typeof fromLibrary> {
  const rules = forkRules('bpo2')
  const decoded = decodeTransaction(raw, BigInt(chainId), rules, crypto)
  const { fields, hash } = decoded
  if (decoded.sender !== undefined || fields.type === DEPOSIT_TYPE) throw new Error('not signed')
  const { message } = decoded
  const { intrinsic, floor } = intrinsicGas({ ...fields, from: ZERO_ADDRESS }, rules)
  return {
    fields: {
      ...fields,
      type: fields.type,
      to: fields.to === undefined ? undefined : hex(fields.to),
      data: hex(fields.data),
      accessList: fields.accessList.map(([to, all]) => [hex(to), all.map(hex)]),
      blobVersionedHashes: [...fields.blobVersionedHashes],
      authorizationList: fields.authorizationList.map((one) => one.map(hex)),
    },
    hash: hex(hash),
    signed: hex(message.hash),
    signature: hex(message.signature),
    gas: [BigInt(intrinsic), BigInt(Math.max(intrinsic, floor))],
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
    expect(ours(raw, chainId)).toEqual(fromLibrary(raw, chainId))
  }
})

/**
 * The library overlooks zeros in front of the chain id and an empty string in place of a list, both
 * of which geth refuses, and looks at the s of a legacy transaction only when it recovers the
 * sender.
 */
const STRICTER =
  /has a chainId with zeros in front|has bytes where .+ should be|^invalid sender: the signature is not valid$/

test('reads and refuses what the library does, with a byte or two changed', async () => {
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
    const expected = attempt(() => fromLibrary(raw, 31_337))
    const found = attempt(() => ours(raw, 31_337))
    if (found instanceof Error || expected instanceof Error) {
      refused++
      if (found instanceof Error && STRICTER.test(found.message)) continue
      expect(
        [found, expected].filter((one) => !(one instanceof Error)),
        `${toHex(raw)} ${found}`,
      ).toEqual([])
      // Whatever is wrong, the client gets an answer that names it.
      expect(found).toBeInstanceOf(DevnetError)
    } else {
      read++
      expect(found).toEqual(expected)
    }
  }
  expect({ read: read > 200, refused: refused > 200 }).toEqual({ read: true, refused: true })
})

function attempt<Result>(work: () => Result): Result | Error {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

const signed = new Map<number, Promise<Hex>>()

function cached(random: Random, index: number): Promise<Hex> {
  const known = signed.get(index) ?? randomTransaction(random, 31_337)
  signed.set(index, known)
  return known
}
