import { beforeEach, describe, expect, test } from 'vitest'
import { AlreadyKnownError, ReplacementUnderpricedError } from '../../../devnet/chain/admission.ts'
import { Mempool } from '../../../devnet/chain/mempool.ts'
import { HeldBytes } from '../../../devnet/primitives/heldBytes.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { ChainTransaction } from '../../../devnet/protocol/transaction.ts'
import { addressKey } from '../../../devnet/state/keys.ts'
import type { AddressKey } from '../../../devnet/state/types.ts'

const alice = addressKey(new Uint8Array(20).fill(0xaa))
const bob = addressKey(new Uint8Array(20).fill(0xbb))

let counter = 0

function transaction(
  senderKey: AddressKey,
  nonce: number,
  fee = 100,
  more: Partial<ChainTransaction> = {},
): ChainTransaction {
  counter++
  const hash: Hex = `0x${counter.toString(16).padStart(64, '0')}`
  // The mempool looks at these fields only.
  return {
    hash,
    senderKey,
    nonce: BigInt(nonce),
    maxFeePerGas: BigInt(fee),
    maxPriorityFeePerGas: BigInt(fee),
    maxFeePerBlobGas: 0n,
    blobGas: 0n,
    raw: new Uint8Array(110),
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...more,
  } as ChainTransaction
}

let nonces: Map<AddressKey, bigint>

beforeEach(() => {
  nonces = new Map()
})

function mempool(
  options: { order?: 'fifo' | 'fees'; capacity?: number; held?: HeldBytes } = {},
): Mempool {
  return new Mempool({
    capacity: options.capacity ?? 100,
    order: options.order ?? 'fifo',
    easyReplacement: false,
    held: options.held ?? HeldBytes.ofNode(),
    nonce: (sender) => nonces.get(sender) ?? 0n,
  })
}

function fill(pool: Mempool, transactions: readonly ChainTransaction[]): void {
  for (const one of transactions) pool.add(one)
}

describe('order', () => {
  test('default: arrival, and a filled gap is followed at once by what waited behind it', () => {
    const pool = mempool()
    const [a0, a1, a2, b0] = [
      transaction(alice, 0),
      transaction(alice, 1),
      transaction(alice, 2),
      transaction(bob, 0),
    ]
    fill(pool, [a2, b0, a1])
    expect(pool.runnable(0n)).toEqual([b0])
    expect(pool.isRunnable(a2.hash)).toBe(false)
    fill(pool, [a0])
    expect(pool.runnable(0n)).toEqual([b0, a0, a1, a2])
  })

  test('args: fees: the best tip first, nonces of a sender in order', () => {
    const pool = mempool({ order: 'fees' })
    const a0 = transaction(alice, 0, 5)
    const a1 = transaction(alice, 1, 1000)
    const b0 = transaction(bob, 0, 7)
    const b1 = transaction(bob, 1, 6)
    fill(pool, [a0, a1, b0, b1])
    expect(pool.runnable(0n)).toEqual([b0, b1, a0, a1])
  })

  test('args: fees: the base fee counts', () => {
    const pool = mempool({ order: 'fees' })
    const a0 = transaction(alice, 0, 20, { maxPriorityFeePerGas: 3n })
    const b0 = transaction(bob, 0, 12, { maxPriorityFeePerGas: 12n })
    fill(pool, [a0, b0])
    expect(pool.runnable(0n)).toEqual([b0, a0])
    expect(pool.runnable(10n)).toEqual([a0, b0])
  })
})

describe('replacement', () => {
  test('default: a tenth more takes the place', () => {
    const pool = mempool()
    const old = transaction(alice, 0, 100)
    const b0 = transaction(bob, 0)
    const better = transaction(alice, 0, 110)
    fill(pool, [old, b0, better])
    expect(pool.runnable(0n)).toEqual([better, b0])
    expect(pool.get(old.hash)).toBeUndefined()
    expect(pool.size).toBe(2)
  })

  test.each([
    ['less than a tenth', { fee: 109 }],
    ['the tip does not rise', { fee: 200, more: { maxPriorityFeePerGas: 100n } }],
  ])(
    'refused when %s',
    (_name, { fee, more }: { fee: number; more?: Partial<ChainTransaction> }) => {
      const pool = mempool()
      fill(pool, [transaction(alice, 0, 100)])
      expect(() => pool.add(transaction(alice, 0, fee, more))).toThrow(ReplacementUnderpricedError)
    },
  )

  test('blobs must pay double', () => {
    const pool = mempool()
    const blobs = { blobGas: 131072n, maxFeePerBlobGas: 10n }
    fill(pool, [transaction(alice, 0, 100, blobs)])
    const dearer = { ...blobs, maxFeePerBlobGas: 20n }
    expect(() => pool.add(transaction(alice, 0, 199, dearer))).toThrow(ReplacementUnderpricedError)
    pool.add(transaction(alice, 0, 200, dearer))
  })

  test('too late while a tick executes it', () => {
    const pool = mempool()
    const old = transaction(alice, 0, 100)
    fill(pool, [old])
    expect(pool.lock(old.hash)).toBe(true)
    expect(() => pool.add(transaction(alice, 0, 500))).toThrow(
      'nonce too low: next nonce 1, tx nonce 0',
    )
    pool.unlock(old.hash)
    pool.add(transaction(alice, 0, 500))
    expect(pool.lock(old.hash)).toBe(false)
  })
})

test('the same transaction twice', () => {
  const pool = mempool()
  const one = transaction(alice, 0)
  pool.add(one)
  expect(() => pool.add(one)).toThrow(AlreadyKnownError)
})

test('full', () => {
  const pool = mempool({ capacity: 2 })
  fill(pool, [transaction(alice, 0), transaction(alice, 1)])
  expect(() => pool.add(transaction(bob, 0))).toThrow(
    'txpool is full: 2 transactions wait; raise the option mempoolSize, or let a tick take some',
  )
  // A replacement needs no room.
  pool.add(transaction(alice, 1, 500))
  expect(pool.nextNonce(bob)).toBe(0n)
})

test('what a tick took is gone, the rest stays in order', () => {
  const pool = mempool()
  const [a0, a1, b0] = [transaction(alice, 0), transaction(alice, 1), transaction(bob, 0)]
  fill(pool, [a0, b0, a1])
  nonces.set(alice, 1n)
  pool.taken(new Set([a0.hash]))
  expect(pool.runnable(0n)).toEqual([b0, a1])
  expect(pool.nextNonce(alice)).toBe(2n)
  expect(pool.nextNonce(bob)).toBe(1n)
})

test('a removed one leaves a gap that a new one fills', () => {
  const pool = mempool()
  const [a0, a1, a2] = [transaction(alice, 0), transaction(alice, 1), transaction(alice, 2)]
  fill(pool, [a0, a1, a2])
  expect(pool.remove(a1.hash)).toBe(a1)
  expect(pool.runnable(0n)).toEqual([a0])
  const again = transaction(alice, 1)
  pool.add(again)
  expect(pool.runnable(0n)).toEqual([a0, again, a2])
  expect(pool.remove(a1.hash)).toBeUndefined()
})

test('removed ones that come back before anyone looks take their new place, once', () => {
  const pool = mempool()
  const [a0, a1, b0, b1] = [
    transaction(alice, 0),
    transaction(alice, 1),
    transaction(bob, 0),
    transaction(bob, 1),
  ]
  fill(pool, [a0, a1, b0, b1])
  pool.remove(a0.hash)
  pool.remove(b0.hash)
  pool.add(a0)
  expect(pool.runnableCount).toBe(2)
  pool.remove(a1.hash)
  pool.add(b0)
  pool.taken(new Set([a0.hash]))
  expect(pool.runnable(0n)).toEqual([b0, b1])
  expect(pool.transactions()).toEqual([b0, b1])
})

test('putBack drops what is too late and wakes what can run now', () => {
  const pool = mempool()
  const [a0, a3] = [transaction(alice, 0), transaction(alice, 3)]
  fill(pool, [a0, a3])
  nonces.set(alice, 3n)
  expect(pool.putBack([])).toEqual([
    { transaction: a0, reason: 'nonce too low: next nonce 3, tx nonce 0' },
  ])
  expect(pool.runnable(0n)).toEqual([a3])
})

test('putBack names who took the place of one that waits', () => {
  const pool = mempool()
  const [waiting, back] = [transaction(alice, 0), transaction(alice, 0)]
  fill(pool, [waiting])
  expect(pool.putBack([back])).toEqual([
    {
      transaction: waiting,
      reason: `replaced by ${back.hash}, which has the same sender and nonce`,
      replacedBy: back.hash,
    },
  ])
})

test('those put back go first', () => {
  const pool = mempool()
  const b0 = transaction(bob, 0)
  fill(pool, [b0])
  const a0 = transaction(alice, 0)
  expect(pool.putBack([a0])).toEqual([])
  expect(pool.runnable(0n)).toEqual([a0, b0])
  expect(pool.transactions()).toEqual([a0, b0])
})

test('a snapshot brings order and gaps back', () => {
  const pool = mempool()
  const [a0, a2, b0] = [transaction(alice, 0), transaction(alice, 2), transaction(bob, 0)]
  fill(pool, [a2, b0, a0])
  const snapshot = pool.snapshot()
  pool.remove(b0.hash)
  pool.add(transaction(alice, 1))
  pool.restore(snapshot)
  expect(pool.runnable(0n)).toEqual([b0, a0])
  const order = (places: typeof snapshot) =>
    places.map(({ transaction, sequence }) => [transaction.hash, sequence])
  expect(order(pool.snapshot())).toEqual(order(snapshot))
})

test('counts what waits, and what snapshots put back', () => {
  const held = HeldBytes.ofNode(1 << 20)
  const pool = mempool({ held })
  const idle = held.claimed
  const [data, raw] = [new Uint8Array(50_000), new Uint8Array(50_100)]
  const large = (nonce: number) => transaction(alice, nonce, 100, { data, raw })
  const [first, second] = [large(0), large(1)]
  fill(pool, [first, second])
  expect(pool.bytes).toBeGreaterThan(200_000)
  const snapshot = pool.snapshot()
  pool.taken(new Set([first.hash]))
  pool.remove(second.hash)
  expect([pool.bytes, held.claimed]).toEqual([0, idle])
  pool.restore(snapshot)
  expect(held.claimed).toBeGreaterThan(idle)
  for (let nonce = 2; nonce < 9; nonce++) pool.add(large(nonce))
  expect(() => {
    for (let nonce = 9; nonce < 20; nonce++) pool.add(large(nonce))
  }).toThrow(expect.objectContaining({ code: -32005 }))
  pool.restore([])
  expect([pool.bytes, held.claimed]).toEqual([0, idle])
})
