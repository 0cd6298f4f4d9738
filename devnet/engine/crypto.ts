import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { EMPTY_BYTES, sameBytes } from '../primitives/bytes.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import { packageRoot } from '../primitives/packageRoot.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import type { Keccak256 } from '../state/types.ts'
import { coreKeccak } from './core/hashing.ts'

/** The cryptographic functions that limit the speed of this node. */
export interface Crypto {
  /** Implementation of secp256k1; `wasm` takes twice as long as `native`, `noble` 25 times. */
  readonly source: 'native' | 'wasm' | 'noble'
  readonly keccak256: Keccak256
  /** The 64-byte public key whose owner signed `hash`. @throws {Error} on an invalid signature */
  recover(hash: Uint8Array, signature: Uint8Array, recoveryId: number): Uint8Array
  /** A recoverable signature, deterministic (RFC 6979) and with a low s (EIP-2). */
  sign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recoveryId: number }
  /** The 64 bytes of the public key. */
  publicKey(privateKey: Uint8Array): Uint8Array
}

type Curve = Omit<Crypto, 'keccak256'>

/**
 * libsecp256k1 as a native addon. Its binaries lie in dist/: the package that they are from has an
 * install script, which package managers refuse or ask about.
 */
async function nativeCurve(): Promise<Curve> {
  const { default: checked } = await import('secp256k1/lib/index.js')
  const { platform, arch } = process
  // Alpine is what uses musl; node-gyp-build tells it in the same way.
  const libc = platform !== 'linux' ? '' : existsSync('/etc/alpine-release') ? '.musl' : '.glibc'
  const path = `dist/native/${platform}-${arch}/secp256k1${libc}.node`
  const addon: { Secp256k1: new () => object } = createRequire(import.meta.url)(
    fileURLToPath(new URL(path, packageRoot)),
  )
  const secp256k1 = checked(new addon.Secp256k1())
  return {
    source: 'native',
    recover: (hash, signature, recoveryId) =>
      secp256k1.ecdsaRecover(signature, recoveryId, hash, false).subarray(1),
    sign(hash, privateKey) {
      const { signature, recid } = secp256k1.ecdsaSign(hash, privateKey)
      return { signature, recoveryId: recid }
    },
    publicKey: (privateKey) => secp256k1.publicKeyCreate(privateKey, false).subarray(1),
  }
}

/** libsecp256k1 as WebAssembly: twice as slow. */
async function wasmCurve(): Promise<Curve> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth/build/lib/crypto/secp256k1.js')
  const secp256k1 = await instantiateSecp256k1()
  return {
    source: 'wasm',
    recover(hash, signature, recoveryId) {
      if (recoveryId !== 0 && recoveryId !== 1) throw new Error('invalid recovery id')
      return orThrow(secp256k1.recoverPublicKeyUncompressed(signature, recoveryId, hash)).subarray(
        1,
      )
    },
    sign: (hash, privateKey) =>
      orThrow(secp256k1.signMessageHashRecoverableCompact(privateKey, hash)),
    publicKey: (privateKey) =>
      orThrow(secp256k1.derivePublicKeyUncompressed(privateKey)).subarray(1),
  }
}

/** The library answers its errors as texts. */
function orThrow<Value>(answer: Value | string): Value {
  if (typeof answer === 'string') throw new Error(answer)
  return answer
}

async function nobleCurve(): Promise<Curve> {
  const { secp256k1 } = await import('@noble/curves/secp256k1.js')
  return {
    source: 'noble',
    recover(hash, signature, recoveryId) {
      const parsed = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryId)
      return parsed.recoverPublicKey(hash).toBytes(false).subarray(1)
    },
    sign(hash, privateKey) {
      const bytes = secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' })
      // noble puts the recovery id in front of r and s.
      return { signature: bytes.slice(1), recoveryId: bytes[0] ?? 0 }
    },
    publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false).subarray(1),
  }
}

/** Signs and recovers once with a known key: a binding may load, but give wrong results. */
function selfTest(curve: Curve): void {
  const privateKey = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  const expected =
    '0x8318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed753547f11ca8696646f2f3acb08e31016afac23e630c5d11f59f61fef57b0d2aa5'
  const hash = fromHex('0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad')
  const { signature, recoveryId } = curve.sign(hash, privateKey)
  for (const key of [curve.publicKey(privateKey), curve.recover(hash, signature, recoveryId)]) {
    if (toHex(key) !== expected) {
      throw new Error(`The ${curve.source} secp256k1 binding gives wrong results`)
    }
  }
}

async function firstWorkingCurve(loaders: readonly (() => Promise<Curve>)[]): Promise<Curve> {
  const failures: unknown[] = []
  for (const load of loaders) {
    try {
      const curve = await load()
      selfTest(curve)
      return curve
    } catch (error) {
      // Expected if no binary exists for this platform: the next, slower implementation is tried.
      failures.push(error)
    }
  }
  throw new AggregateError(failures, 'No secp256k1 implementation works here')
}

async function load(...loaders: readonly (() => Promise<Curve>)[]): Promise<Crypto> {
  const [curve, keccak256] = await Promise.all([firstWorkingCurve(loaders), loadKeccak()])
  return { ...curve, keccak256 }
}

/** The core's keccak-256, or that of a library if the core does not work here. */
async function loadKeccak(): Promise<Keccak256> {
  try {
    const keccak256 = coreKeccak()
    if (sameBytes(keccak256(EMPTY_BYTES), EMPTY_CODE_HASH)) return keccak256
  } catch {
    // The core needs SIMD, which the library does without.
  }
  const { keccak_256 } = await import('@noble/hashes/sha3.js')
  return keccak_256
}

let loading: Promise<Crypto> | undefined

/** Loads the first implementation that passes its self-test: native, WebAssembly or JavaScript. */
export function loadCrypto(): Promise<Crypto> {
  loading ??= load(nativeCurve, wasmCurve, nobleCurve)
  return loading
}

/**
 * Loads no native code, for a thread that may be terminated at any moment: the native binding
 * aborts the process if it is called in a thread that is being terminated.
 */
export function loadInterruptibleCrypto(): Promise<Crypto> {
  return load(wasmCurve, nobleCurve)
}

/** The 20 bytes of the address that signed `hash`. @throws {Error} on an invalid signature */
export function recoverAddress(
  crypto: Crypto,
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryId: number,
): Uint8Array {
  return crypto.keccak256(crypto.recover(hash, signature, recoveryId)).slice(12)
}
