import { params } from '../rpc/params.ts'
import { text } from '../rpc/schemas/plain.ts'
import { defineKind } from './subscriptionKind.ts'

/** Sends `false` once, as reth and Base do, and then nothing: there is nobody to synchronise with. */
export const syncing = defineKind(params(text()), () => (push) => {
  push('false')
  return () => undefined
})
