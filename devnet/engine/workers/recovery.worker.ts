import { parentPort, workerData } from 'node:worker_threads'
import { loadCrypto, recoverAddress } from '../crypto.ts'
import type { SignedMessage } from '../signedMessage.ts'
import { RecoveryRing } from './recoveryRing.ts'

if (parentPort === null) throw new Error('This file is the entry of a worker thread')
const port = parentPort

// `workerData` is untyped: it is the memory of the node's ring.
const ring = new RecoveryRing(workerData as SharedArrayBuffer)

// If the ring is shut already, the node is about to end this thread.
if (!ring.enter()) process.exit()
const crypto = await loadCrypto()
ring.leave()

let answered = 0

function serve(): void {
  answered = ring.serve(answered, recover)
}

function recover({ hash, signature, recoveryId }: SignedMessage): Uint8Array | undefined {
  try {
    return recoverAddress(crypto, hash, signature, recoveryId)
  } catch {
    // The node recovers the sender again to report the error.
    return undefined
  }
}

port.on('message', serve)
port.postMessage('ready')
serve()
