import { expect, test } from 'vitest'
import { SerialQueue } from '../../../devnet/primitives/serialQueue.ts'

test('default: one at a time, first in, first out, whatever fails', async () => {
  const queue = new SerialQueue()
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = queue.run(async () => {
    await gate.promise
    done.push('first')
    throw new Error('failed')
  })
  const second = queue.run(() => done.push('second'))
  expect(queue.busy).toBe(true)
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(done).toEqual(['first', 'second'])
  expect(queue.busy).toBe(false)
})

test('work that steps aside goes on behind what was queued meanwhile', async () => {
  const queue = new SerialQueue()
  const done: string[] = []
  const gate = Promise.withResolvers<string>()
  const first = queue.run(async () => {
    done.push('first begins')
    done.push(await queue.stepAside(() => gate.promise))
  })
  await queue.run(() => done.push('second'))
  expect(queue.busy).toBe(true)
  const third = Promise.withResolvers<void>()
  const running = queue.run(async () => {
    await third.promise
    done.push('third')
  })
  gate.resolve('first ends')
  await gate.promise
  third.resolve()
  await Promise.all([first, running])
  expect(done).toEqual(['first begins', 'second', 'third', 'first ends'])
})

test('work whose wait fails has its turn again', async () => {
  const queue = new SerialQueue()
  const failed = queue.run(async () => {
    await queue.stepAside(() => Promise.reject(new Error('no value'))).catch(() => undefined)
    expect(queue.busy).toBe(true)
    return 'in turn'
  })
  expect(await failed).toBe('in turn')
  expect(await queue.run(() => 'next')).toBe('next')
})

test('idle waits for what stands aside', async () => {
  const queue = new SerialQueue()
  await queue.idle()
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const work = queue.run(async () => {
    await queue.stepAside(() => gate.promise)
    done.push('work')
  })
  const idle = queue.idle().then(() => done.push('idle'))
  await new Promise(setImmediate)
  expect(done).toEqual([])
  gate.resolve()
  await Promise.all([work, idle])
  expect(done).toEqual(['work', 'idle'])
})
