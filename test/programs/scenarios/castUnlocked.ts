// Transactions of an account whose key nobody has.
import assert from 'node:assert/strict'
import { cast, other } from './support.ts'

const account = '0x00000000000000000000000000000000000000Aa'
cast('rpc', 'anvil_setBalance', account, '0xde0b6b3a7640000')
cast('rpc', 'anvil_impersonateAccount', account)
const sent = cast('send', '--unlocked', '--from', account, other, '--value', '1', '--json')
const { status, from }: { status: string; from: string } = JSON.parse(sent)
assert.equal(status, '0x1')
assert.equal(from.toLowerCase(), account.toLowerCase())
