// Deploys, then reads what was deployed from the pending block.
import assert from 'node:assert/strict'
import { cast, createCounter, key, pendingNonce } from './support.ts'

const counter = createCounter()
const pending = ['--block', 'pending']
const nonce = pendingNonce()
const gas = cast('estimate', ...pending, counter, 'increase()')
assert.ok(Number(gas) > 40_000)
cast('send', '--private-key', key, '--nonce', nonce, counter, 'increase()')
assert.equal(cast('call', ...pending, counter, 'count()(uint256)'), '1')
assert.notEqual(cast('code', ...pending, counter), '0x')
assert.equal(Number(cast('storage', ...pending, counter, '0')), 1)
assert.match(cast('access-list', ...pending, counter, 'increase()'), /0x0{64}/)
