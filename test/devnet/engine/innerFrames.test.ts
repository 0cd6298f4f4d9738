import { expect, test } from 'vitest'
import { InnerFrameRecorder } from '../../../devnet/engine/innerFrames.ts'
import type { FrameKind } from '../../../devnet/engine/types.ts'
import type { Halt } from '../../../devnet/protocol/halt.ts'
import { addressKey } from '../../../devnet/state/keys.ts'

const key = (digit: number) => addressKey(new Uint8Array(20).fill(digit))
const [SENDER, RECIPIENT, ONE, TWO] = [key(1), key(2), key(3), key(4)]

/** A recorder in the middle of a transaction. */
function createRecorder() {
  const recorder = new InnerFrameRecorder()
  recorder.begin()
  return {
    recorder,
    enter: (kind: FrameKind, from: typeof ONE, to: typeof ONE) =>
      recorder.enter({ kind, from, to }),
    leave: (failure?: string) => recorder.leave({ failure }),
    take: (failure?: Halt) => recorder.take(SENDER, RECIPIENT, failure),
  }
}

test('default: what was touched, in order and once, and what was created', () => {
  const { enter, leave, take } = createRecorder()
  for (const to of [TWO, SENDER, TWO, RECIPIENT]) {
    enter('CALL', RECIPIENT, to)
    leave()
  }
  enter('CREATE', RECIPIENT, ONE)
  leave()
  expect(take()).toEqual({ touched: ONE + TWO, created: ONE + RECIPIENT })
  // Nothing of it is left.
  expect(take()).toBe(undefined)
})

test('only sender and recipient', () => {
  const { enter, leave, take } = createRecorder()
  enter('CALL', RECIPIENT, SENDER)
  leave()
  expect(take()).toBe(undefined)
})

test('a failed frame takes back what those inside it created', () => {
  const { enter, leave, take } = createRecorder()
  enter('CALL', RECIPIENT, ONE)
  enter('CREATE2', ONE, TWO)
  leave()
  leave('revert')
  expect(take()).toEqual({ touched: ONE + TWO, created: '' })
})

test('an address that is taken is not touched by a creation, but by others', () => {
  const { enter, leave, take } = createRecorder()
  enter('CREATE2', RECIPIENT, ONE)
  leave('createCollision')
  enter('CREATE', RECIPIENT, TWO)
  leave('outOfGas')
  expect(take()).toEqual({ touched: TWO, created: '' })
  enter('CALL', RECIPIENT, ONE)
  leave()
  enter('CREATE2', RECIPIENT, ONE)
  leave('createCollision')
  expect(take()).toEqual({ touched: ONE, created: '' })
})

test('a failed transaction has created nothing', () => {
  const { enter, leave, take } = createRecorder()
  enter('CREATE', RECIPIENT, ONE)
  leave()
  expect(take('outOfGas')).toEqual({ touched: ONE, created: '' })
})

test('transactions that touch the same accounts share them', () => {
  const { recorder, enter, leave, take } = createRecorder()
  const touch = () => {
    recorder.begin()
    enter('CALL', RECIPIENT, ONE)
    leave()
    return take()
  }
  expect(touch()).toBe(touch())
})
