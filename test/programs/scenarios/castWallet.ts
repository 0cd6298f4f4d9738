// Keys and signatures, and a transaction that is signed first and sent later.
import assert from 'node:assert/strict'
import { cast, key, other, sender } from './support.ts'

assert.equal(cast('wallet', 'address', '--private-key', key), sender)
const signature = cast('wallet', 'sign', '--private-key', key, 'text')
cast('wallet', 'verify', '--address', sender, 'text', signature)
const signed = cast('mktx', '--private-key', key, other, '--value', '1')
const { status }: { status: string } = JSON.parse(cast('publish', signed))
assert.equal(status, '0x1')
