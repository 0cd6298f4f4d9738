// Reads the log of a transaction, up to what is pre-confirmed.
import assert from 'node:assert/strict'
import { cast, createCounter, key, pendingNonce } from './support.ts'

const counter = createCounter()
const sign = ['--private-key', key, '--nonce', pendingNonce()]
cast('send', ...sign, counter, 'increase()')
const range = ['--from-block', '0', '--to-block', 'pending']
const logs: unknown[] = JSON.parse(cast('logs', '--json', ...range, '--address', counter))
assert.equal(logs.length, 1)
