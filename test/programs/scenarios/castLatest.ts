// Deploys, then reads what was deployed from the newest block.
import assert from 'node:assert/strict'
import { cast, createCounter } from './support.ts'

const counter = createCounter()
assert.equal(cast('call', counter, 'count()(uint256)'), '0')
assert.notEqual(cast('code', counter), '0x')
assert.equal(Number(cast('storage', counter, '0')), 0)
