import { type Hex, keccak256, toBytes, toHex } from 'viem'
import {
  getL2TransactionHash,
  getSourceHash,
  opaqueDataToDepositData,
  parseTransaction,
  serializeTransaction,
} from 'viem/op-stack'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { decodeTransaction } from '../../../../devnet/engine/decodeTransaction.ts'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { forkRules } from '../../../../devnet/protocol/forks.ts'
import {
  depositSource,
  encodeDeposit,
} from '../../../../devnet/protocol/rollup/depositTransaction.ts'
import { Random } from '../../../support/random.ts'

const crypto = await loadCrypto()
const RULES = forkRules('prague', { opStack: true })
const hash = (bytes: Uint8Array) => crypto.keccak256(bytes)

const hexOf = (random: Random, length: number): Hex =>
  toHex(Uint8Array.from({ length }, () => random.below(256)))

function randomDeposit(random: Random) {
  return {
    sourceHash: hexOf(random, 32),
    from: hexOf(random, 20),
    to: random.below(4) === 0 ? undefined : hexOf(random, 20),
    mint: random.below(2) === 0 ? 0n : BigInt(hexOf(random, 1 + random.below(16))),
    value: random.below(2) === 0 ? 0n : BigInt(hexOf(random, 1 + random.below(16))),
    gas: BigInt(random.below(2 ** 31)),
    data: hexOf(random, random.below(100)),
  }
}

test('deposits are encoded and read as viem does it', () => {
  const random = new Random(7)
  for (let count = 0; count < 200; count++) {
    const deposit = randomDeposit(random)
    const { sourceHash, from, to, mint, value, gas, data } = deposit
    const raw = encodeDeposit({
      sourceHash: fromHex(sourceHash),
      from: fromHex(from),
      to: to && fromHex(to),
      mint,
      value,
      gasLimit: gas,
      data: toBytes(data),
      isSystemTx: false,
    })
    const { to: _, ...rest } = deposit
    expect(toHex(raw)).toBe(serializeTransaction({ ...rest, ...(to && { to }), type: 'deposit' }))
    const decoded = decodeTransaction(raw, 1n, RULES, crypto)
    const { fields } = decoded
    expect({
      sourceHash: fields.deposit && toHex(fields.deposit.sourceHash),
      from: decoded.sender && toHex(decoded.sender),
      to: fields.to && toHex(fields.to),
      mint: fields.deposit?.mint,
      value: fields.value,
      gas: fields.gasLimit,
      data: toHex(fields.data),
    }).toEqual(deposit)
    expect(toHex(decoded.hash)).toBe(keccak256(toHex(raw)))
    // Absent where viem leaves out what is 0.
    expect(parseTransaction(toHex(raw) as `0x7e${string}`)).toMatchObject({
      type: 'deposit',
      sourceHash,
      from,
      ...(mint > 0n ? { mint } : {}),
    })
  }
})

test('the hash is that which viem foretells of a log on L1', () => {
  const [l1Hash, from, to] = [
    `0x${'b1'.repeat(32)}`,
    `0x${'f1'.repeat(20)}`,
    `0x${'70'.repeat(20)}`,
  ]
  const opaqueData: Hex = `0x${5n.toString(16).padStart(64, '0')}${3n
    .toString(16)
    .padStart(64, '0')}${50_000n.toString(16).padStart(16, '0')}00abcd`
  const { mint, value, gas, data } = opaqueDataToDepositData(opaqueData)
  const sourceHash = depositSource('user', fromHex(l1Hash as Hex), 9n, hash)
  const raw = encodeDeposit({
    sourceHash,
    from: fromHex(from as Hex),
    to: fromHex(to as Hex),
    mint,
    value,
    gasLimit: gas,
    data: toBytes(data),
    isSystemTx: false,
  })
  const log = {
    args: { from, to, version: 0n, opaqueData },
    blockHash: l1Hash,
    logIndex: 9,
  }
  // Only these fields of the log count.
  expect(getL2TransactionHash({ log: log as never })).toBe(keccak256(toHex(raw)))
})

test('source hashes are those of viem', () => {
  const l1BlockHash: Hex = `0x${'b2'.repeat(32)}`
  const block = fromHex(l1BlockHash)
  expect(toHex(depositSource('user', block, 4n, hash))).toBe(
    getSourceHash({ domain: 'userDeposit', l1BlockHash, l1LogIndex: 4 }),
  )
  expect(toHex(depositSource('l1Attributes', block, 6n, hash))).toBe(
    getSourceHash({ domain: 'l1InfoDeposit', l1BlockHash, sequenceNumber: 6 }),
  )
})

test.each([
  ['0x7ec0', 'has 0 fields, but a deposit has 8'],
  [`0x7ee4a0${'01'.repeat(32)}808080`, 'has 4 fields, but a deposit has 8'],
  ['0x7e00', 'has bytes where its fields should be'],
])('refusal: %s is no deposit', (raw, problem) => {
  expect(() => decodeTransaction(fromHex(raw as Hex), 1n, RULES, crypto)).toThrow(problem)
})

test('refusal: a system transaction, and any deposit off the OP Stack', () => {
  const deposit = {
    sourceHash: new Uint8Array(32),
    from: new Uint8Array(20),
    to: undefined,
    mint: 0n,
    value: 0n,
    gasLimit: 1n,
    data: new Uint8Array(0),
  }
  const system = encodeDeposit({ ...deposit, isSystemTx: true })
  expect(() => decodeTransaction(system, 1n, RULES, crypto)).toThrow(
    'is a system transaction, which no block has since Regolith',
  )
  const plain = encodeDeposit({ ...deposit, isSystemTx: false })
  expect(() => decodeTransaction(plain, 1n, forkRules('prague'), crypto)).toThrow(
    'transaction type not supported: type 126 under hardfork prague',
  )
})
