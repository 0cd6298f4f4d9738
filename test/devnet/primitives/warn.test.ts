import { afterEach, expect, test, vi } from 'vitest'
import { reportInternalError, tell, tellDefect, warn } from '../../../devnet/primitives/warn.ts'

const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
afterEach(() => print.mockClear())

const HOSTILE = '\u001b[2J\u001b]0;title\u0007\u009b31m\r\u202egnp'
/** What may reach a terminal: no control but the line feed, nothing that turns text around. */
const SAFE = /^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]*$/u

test.each<[string, () => void]>([
  ['tell', () => tell(`it says ${HOSTILE}\nand more`)],
  ['warn', () => warn(HOSTILE)],
  ['tellDefect', () => tellDefect(`Internal error in ${HOSTILE}`, new Error(HOSTILE))],
  [
    'reportInternalError',
    () =>
      reportInternalError(new TypeError('bug', { cause: { message: HOSTILE, stack: HOSTILE } })),
  ],
])('%s writes nothing that controls a terminal', (_, write) => {
  write()
  expect(print).toHaveBeenCalledTimes(1)
  const [text, ...rest] = print.mock.calls[0] ?? []
  expect(rest).toEqual([])
  for (const line of String(text).split('\n')) expect(line).toMatch(SAFE)
  expect(text).toMatch(/\\x1b/i)
})

test('default: a defect has its stack and its causes', () => {
  reportInternalError(new TypeError('bug', { cause: new Error('why') }))
  const [text] = print.mock.calls[0] ?? []
  expect(text).toMatch(
    /^hardhat-pending-node: internal error, please report it: TypeError: bug\n +at [\s\S]+Error: why/,
  )
})
