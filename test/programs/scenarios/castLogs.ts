// Reads the log of a transaction, up to the newest block.
import { cast, createCounter, key, pendingNonce } from './support.ts'

const counter = createCounter()
const sign = ['--private-key', key, '--nonce', pendingNonce()]
cast('send', ...sign, counter, 'increase()')
const printed = cast('logs', '--json', '--from-block', '0', '--address', counter)
const logs: unknown[] = JSON.parse(printed)
if (logs.length !== 1) throw new Error(logs.length === 0 ? 'no logs' : 'too many logs')
