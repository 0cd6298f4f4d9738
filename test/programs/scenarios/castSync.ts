// Transactions whose receipts the node answers at once.
import assert from 'node:assert/strict'
import { cast, key, other, pendingNonce } from './support.ts'

for (const value of ['1', '2', '3']) {
  const nonce = pendingNonce()
  const sync = ['send', '--sync', '--json', '--nonce', nonce]
  const receipt: { status: string } = JSON.parse(
    cast(...sync, '--private-key', key, other, '--value', value),
  )
  assert.equal(receipt.status, '0x1')
}
