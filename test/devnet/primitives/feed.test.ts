import { describe, expect, test } from 'vitest'
import { Feed } from '../../../devnet/primitives/listeners.ts'

function createFeed() {
  let emit: ((item: string) => void) | undefined
  let starts = 0
  const feed = new Feed<string>((listener) => {
    starts++
    emit = listener
    return () => {
      emit = undefined
    }
  })
  return {
    feed,
    emit: (item: string) => emit?.(item),
    isOn: () => emit !== undefined,
    starts: () => starts,
  }
}

describe('Feed', () => {
  test('default', () => {
    const { feed, emit, isOn, starts } = createFeed()
    expect(isOn()).toBe(false)
    const got: string[] = []
    const endA = feed.add((item) => got.push(`a ${item}`))
    const endB = feed.add((item) => got.push(`b ${item}`))
    emit('1')
    endA()
    emit('2')
    expect(got).toEqual(['a 1', 'b 1', 'b 2'])
    expect([isOn(), starts()]).toEqual([true, 1])
    endB()
    endB()
    expect(isOn()).toBe(false)
    feed.add((item) => got.push(`c ${item}`))
    emit('3')
    expect([got.at(-1), starts()]).toEqual(['c 3', 2])
  })

  test('behavior: a receiver that throws does not keep the item from the others', () => {
    const { feed, emit } = createFeed()
    const got: string[] = []
    feed.add(() => {
      throw new Error('no')
    })
    feed.add((item) => got.push(item))
    expect(() => emit('1')).toThrow('no')
    expect(got).toEqual(['1'])
  })
})
