import { expect, test } from 'vitest'
import { MemoryTexts } from '../../../devnet/tracing/structLogger.ts'
import type { TraceStep } from '../../../devnet/tracing/tracer.ts'
import { Random } from '../../support/random.ts'

/** All that is looked at of a step. */
function stepWith(store: Uint8Array, memoryWords: number): TraceStep {
  return { state: { memory: { _store: store } }, memoryWords } as Partial<TraceStep> as TraceStep
}

function expected(store: Uint8Array, words: number): string[] {
  const all = Buffer.alloc(words * 32)
  all.set(store.subarray(0, all.length))
  return Array.from(
    { length: words },
    (_, index) => `0x${all.toString('hex', index * 32, index * 32 + 32)}`,
  )
}

test('always what a memory holds, whatever was asked for before', () => {
  const random = new Random(3)
  const texts = new MemoryTexts()
  // Two memories that are looked at in turn, as those of a frame and of the one that it opened.
  const stores = [new Uint8Array(8192), new Uint8Array(8192)]
  for (let round = 0; round < 400; round++) {
    const store = random.pick(stores)
    for (let change = random.below(4); change > 0; change--) {
      store[random.below(5000)] = random.below(256)
    }
    // Now and then more than there is.
    const words = random.below(random.once(10) ? 300 : 120)
    const joined = texts.join(stepWith(store, words))
    expect(JSON.parse(`[${joined}]`)).toEqual(expected(store, words))
  }
})

test('no memory', () => {
  expect(new MemoryTexts().join(stepWith(new Uint8Array(8192), 0))).toBe('')
})
