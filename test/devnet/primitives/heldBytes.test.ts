import { expect, test } from 'vitest'
import { LimitError } from '../../../devnet/primitives/errors.ts'
import { HeldBytes, heldSize } from '../../../devnet/primitives/heldBytes.ts'
import { Random } from '../../../devnet/primitives/random.ts'

const MOST = 1 << 20
const FLOOR = MOST / 2048

test('a share below its floor has room whatever others hold', () => {
  const chain = HeldBytes.ofNode(MOST)
  const branch = chain.open()
  while (chain.take(1000));
  expect(chain.claimed).toBeLessThanOrEqual(MOST)
  expect(branch.take(FLOOR)).toBe(true)
  expect(branch.take(1)).toBe(true)
  expect(branch.take(1000)).toBe(false)
  expect(() => branch.require(1000, 'wait')).toThrow(LimitError)
  expect(() => branch.require(1000, 'wait')).toThrow('--max-held-size')
  branch.close()
  chain.add(-2000)
  expect(chain.take(2000)).toBe(true)
})

test('histories above their floors make room, and keep their floors', () => {
  const chain = HeldBytes.ofNode(MOST)
  const kept: number[] = []
  const session = chain.open(() => {
    const size = kept.shift()
    if (size !== undefined) session.add(-size)
    return size !== undefined
  })
  while (kept.length < 500 && session.take(1000)) kept.push(1000)
  while (chain.take(1000));
  expect(kept.length).toBe(0)
  expect(session.take(FLOOR)).toBe(true)
})

test('random shares never claim more than the whole', () => {
  const random = new Random(50)
  const chain = HeldBytes.ofNode(MOST)
  const shares = [{ share: chain, held: 0, floor: MOST / 8 }]
  for (let step = 0; step < 20_000; step++) {
    const one = random.pick(shares)
    if (shares.length < 100 && random.once(50)) {
      shares.push({ share: chain.open(), held: 0, floor: FLOOR })
    } else if (random.once(4)) {
      const back = random.below(one.held + 1)
      one.share.add(-back)
      one.held -= back
    } else {
      const bytes = random.below(20_000)
      const has = one.share.take(bytes)
      if (one.held + bytes <= one.floor) expect(has).toBe(true)
      if (has) one.held += bytes
    }
    const claimed = shares.reduce((sum, { held, floor }) => sum + Math.max(held, floor), 0)
    expect(chain.claimed).toBe(claimed)
    // A share that opens has its floor, even if the others have left none.
    expect(claimed).toBeLessThanOrEqual(MOST + shares.length * FLOOR)
  }
})

test('the size of a value grows with all that is in it', () => {
  expect(heldSize({ a: ['x'.repeat(1000)] })).toBeGreaterThan(2000)
  expect(heldSize(Array(1000).fill([]))).toBeGreaterThan(32_000)
})
