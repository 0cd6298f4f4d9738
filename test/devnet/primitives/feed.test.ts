import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Feed } from '../../../devnet/primitives/listeners.ts'

function createFeed() {
  let emit: ((item: string) => void) | undefined
  let starts = 0
  const errors: unknown[] = []
  const feed = new Feed<string>(
    (listener) => {
      starts++
      emit = listener
      return () => {
        emit = undefined
      }
    },
    (error) => errors.push(error),
  )
  return {
    feed,
    errors,
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

  test('a receiver that throws is reported, and does not keep the item from others', () => {
    const { feed, emit, errors } = createFeed()
    const got: string[] = []
    feed.add(() => {
      throw new Error('no')
    })
    feed.add((item) => got.push(item))
    emit('1')
    emit('2')
    expect(got).toEqual(['1', '2'])
    expect(errors).toEqual([new Error('no'), new Error('no')])
  })

  test('who is added by an item gets the next one, who is removed gets no more', () => {
    const { feed, emit } = createFeed()
    const got: string[] = []
    const end = feed.add((item) => {
      got.push(`a ${item}`)
      removed()
      end()
      feed.add((later) => got.push(`c ${later}`))
    })
    const removed = feed.add((item) => got.push(`b ${item}`))
    emit('1')
    emit('2')
    expect(got).toEqual(['a 1', 'c 2'])
  })

  test('an item that a receiver causes comes after the one before, for everyone', async () => {
    const { feed, emit } = createFeed()
    const got: string[] = []
    feed.add((item) => {
      got.push(`a ${item}`)
      if (item === '1') emit('2')
    })
    feed.add((item) => got.push(`b ${item}`))
    emit('1')
    // On a busy machine, the second item comes in a later turn.
    await expect.poll(() => got).toEqual(['a 1', 'b 1', 'a 2', 'b 2'])
  })

  /** 200 receivers, of which the tenth keeps the loop busy for longer than a feed may at a time. */
  function addBusy({ feed }: ReturnType<typeof createFeed>, got: string[]) {
    return Array.from({ length: 200 }, (_, index) =>
      feed.add((item) => {
        got.push(`${index} ${item}`)
        if (index !== 9) return
        const start = performance.now()
        while (performance.now() - start < 3);
      }),
    )
  }

  /** Until nothing more comes in any of 20 turns of the event loop. */
  async function settled(got: readonly string[]) {
    for (let known = -1; known !== got.length; ) {
      known = got.length
      for (let turn = 0; turn < 20; turn++) await setImmediate()
    }
  }

  const all = (...items: string[]) =>
    items.flatMap((item) => Array.from({ length: 200 }, (_, index) => `${index} ${item}`))

  test('many receivers get an item in several turns, each one in order', async () => {
    const created = createFeed()
    const got: string[] = []
    addBusy(created, got)
    created.emit('1')
    const first = got.length
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(200)
    created.emit('2')
    expect(got.length).toBe(first)
    created.feed.add((item) => got.push(`late ${item}`))
    created.emit('3')
    await settled(got)
    expect(got).toEqual([...all('1', '2', '3'), 'late 3'])
  })

  test('who is removed meanwhile gets no more, also if nobody is left', async () => {
    const created = createFeed()
    const got: string[] = []
    const ends = addBusy(created, got)
    created.emit('1')
    ends[199]?.()
    ends[0]?.()
    created.emit('2')
    await settled(got)
    expect(got).toEqual(all('1', '2').filter((one) => one !== '0 2' && !one.startsWith('199 ')))
    created.emit('3')
    for (const end of ends) end()
    expect(created.isOn()).toBe(false)
    const known = got.length
    expect(known).toBeLessThan(600)
    await settled(got)
    expect(got.length).toBe(known)
    created.feed.add((item) => got.push(item))
    created.emit('4')
    expect(got.at(-1)).toBe('4')
  })

  test('what falls far behind is not left to wait', () => {
    const created = createFeed()
    const got: string[] = []
    const ends = addBusy(created, got)
    for (const end of ends.slice(20)) end()
    for (let item = 0; item < 150; item++) created.emit(String(item))
    // At most 100 items wait; each reaches all 20.
    expect(got.length).toBeGreaterThanOrEqual(20 * 50)
  })
})
