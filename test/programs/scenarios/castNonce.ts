// Five transactions in a row, each with the nonce behind what is pre-confirmed.
import assert from 'node:assert/strict'
import { cast, key, other, pendingNonce } from './support.ts'

for (const value of ['1', '2', '3', '4', '5']) {
  cast('send', '--nonce', pendingNonce(), '--private-key', key, other, '--value', value)
}
assert.equal(pendingNonce(), '5')
