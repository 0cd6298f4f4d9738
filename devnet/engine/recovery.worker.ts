import { parentPort, workerData } from 'node:worker_threads'
import { loadCrypto, recoverAddress } from './crypto.ts'
import { RecoveryRing } from './recoveryRing.ts'
import type { SignedMessage } from './signedMessage.ts'

if (parentPort === null) throw new Error('This file is the entry of a worker thread')
const port = parentPort

const crypto = await loadCrypto()

// Slices of shared memory are not shared, but typed as if they were.
const ring = new RecoveryRing(workerData as SharedArrayBuffer)

let answered = 0

function serve(): void {
  answered = ring.serve(answered, recover)
}

function recover({ hash, signature, recoveryId }: SignedMessage): Uint8Array | undefined {
  try {
    return recoverAddress(crypto, hash, signature, recoveryId)
  } catch {
    // Invalid signatures are usual; the node finds out what is wrong with it, to say so.
    return undefined
  }
}

port.on('message', serve)
port.postMessage('ready')
serve()
