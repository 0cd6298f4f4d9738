// Commands and cheats, under the names that scripts for anvil use.
import assert from 'node:assert/strict'
import { cast, other } from './support.ts'

const snapshot: string = JSON.parse(cast('rpc', 'evm_snapshot'))
const before = Number(cast('block-number'))
cast('rpc', 'anvil_setBalance', other, '0x7')
cast('rpc', 'evm_mine')
assert.equal(cast('balance', other), '7')
assert.ok(Number(cast('block-number')) > before)
assert.equal(cast('rpc', 'evm_revert', snapshot), 'true')
assert.equal(cast('balance', '--ether', other), '10000.000000000000000000')
