/**
 * Leaves a recovery worker running, as a program does that never stops its node; ends by itself
 * only if that lets it.
 */
import { Recovery } from '../../../../devnet/engine/workers/recovery.ts'

const recovery = new Recovery((error) => {
  throw error
})
recovery.start()
while (!recovery.isReady) await new Promise((resolve) => setImmediate(resolve))
const message = { hash: new Uint8Array(32), signature: new Uint8Array(64), recoveryId: 0 }
const { promise, resolve } = Promise.withResolvers<unknown>()
recovery.recover(message, resolve)
console.log(`recovered: ${await promise}`)
