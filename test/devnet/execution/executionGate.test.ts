import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ExecutionGate } from '../../../devnet/execution/machineLease.ts'

/** Enters, and notes the name when let in. */
function enter(gate: ExecutionGate, name: string, entered: string[]): Promise<number> {
  const entry = gate.enter()
  if (typeof entry !== 'number') {
    return entry.then((number) => {
      entered.push(name)
      return number
    })
  }
  entered.push(name)
  return Promise.resolve(entry)
}

// On a busy machine a turn of the event loop may take longer than the gate allows.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

test('default: eight begin at once, the others in their order when one is over', async () => {
  const gate = new ExecutionGate()
  const entered: string[] = []
  const entries = names(11).map((name) => enter(gate, name, entered))
  expect(entered).toEqual(names(8))
  gate.leave((await entries[3]) ?? 0)
  await entries[8]
  expect(entered).toEqual(names(9))
  gate.leave((await entries[0]) ?? 0)
  gate.leave((await entries[1]) ?? 0)
  await entries[10]
  expect(entered).toEqual(names(11))
})

test('those that take long leave their place to others', async () => {
  const gate = new ExecutionGate()
  const entered: string[] = []
  const entries = names(20).map((name) => enter(gate, name, entered))
  const first = (await entries[0]) ?? 0
  await turn()
  await entries[15]
  expect(entered).toEqual(names(16))
  // Their end makes no further room: they had left their place already.
  gate.leave(first)
  await Promise.resolve()
  expect(entered).toEqual(names(16))
  await turn()
  await entries[19]
  expect(entered).toEqual(names(20))
})

test('once a turn took its time, the event loop has to turn', async () => {
  const gate = new ExecutionGate()
  const entered: string[] = []
  gate.leave(await enter(gate, 'first', entered))
  // As if short executions without a pause had held the event loop for so long.
  vi.advanceTimersByTime(6)
  const second = enter(gate, 'second', entered)
  expect(entered).toEqual(['first'])
  let turned = false
  setImmediate(() => {
    turned = true
  })
  await second
  expect([entered, turned]).toEqual([['first', 'second'], false])
  await turn()
  expect(turned).toBe(true)
})
