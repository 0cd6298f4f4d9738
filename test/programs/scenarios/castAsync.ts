// Transactions whose receipts are asked for later.
import assert from 'node:assert/strict'
import { cast, key, other, sender } from './support.ts'

const hashes = ['0', '1', '2'].map((nonce) =>
  cast('send', '--async', '--nonce', nonce, '--private-key', key, other, '--value', '1'),
)
for (const hash of hashes) {
  assert.equal(cast('receipt', hash, 'status'), 'true')
  assert.equal(cast('tx', hash, 'from').toLowerCase(), sender.toLowerCase())
}
