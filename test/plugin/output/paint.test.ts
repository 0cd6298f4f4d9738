import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import { afterEach, expect, test, vi } from 'vitest'
import { painter } from '../../../plugin/output/lines.ts'

/** A terminal, or not. */
const stream = (isTTY: boolean) =>
  Object.assign(new PassThrough(), { isTTY, getColorDepth: WriteStream.prototype.getColorDepth })

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  ['on a terminal', true, {}, true],
  ['on a pipe', false, {}, false],
  ['NO_COLOR on a terminal', true, { NO_COLOR: '1' }, false],
  ['FORCE_COLOR on a pipe', false, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, false],
])('%s', (_, isTerminal, environment: NodeJS.ProcessEnv, isPainted) => {
  // Node.js takes the terminals of CI for plain ones.
  const plain = {
    CI: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    NODE_DISABLE_COLORS: undefined,
  }
  const all = { ...plain, TERM: 'xterm-256color', ...environment }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  const painted = painter(stream(isTerminal))('red', 'text')
  expect(painted).toBe(isPainted ? '\u001b[31mtext\u001b[39m' : 'text')
})
