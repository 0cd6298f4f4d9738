import { createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import type { Crypto } from '../engine/crypto.ts'
import { bigIntTo32Bytes, bytesToBigInt, concatBytes } from '../primitives/bytes.ts'
import { OptionError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import type { DevAccount } from '../types.ts'

/** The phrase of most development chains. It is not checked: loading the words takes 5 ms. */
const WELL_KNOWN = 'test test test test test test test test test test test junk'

/** First hardened index; deriving a hardened child needs the parent's private key (BIP-32). */
const HARDENED = 2 ** 31

/** m/44'/60'/0'/0, as in hardhat node and anvil. */
const DERIVATION_PATH = [44 + HARDENED, 60 + HARDENED, HARDENED, 0]

/** Order of secp256k1. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A private key and its chain code (BIP-32). */
interface ExtendedKey {
  readonly key: Uint8Array
  readonly chainCode: Uint8Array
}

/** The newest that were derived, which takes 1.5 ms: most nodes of a process have the same. */
let newest: { readonly mnemonic: string; readonly accounts: readonly DevAccount[] } | undefined

/**
 * The accounts of a mnemonic (BIP-39, BIP-44).
 *
 * @throws {OptionError} if `mnemonic` is not valid
 */
export async function deriveAccounts(
  mnemonic: string,
  count: number,
  crypto: Crypto,
): Promise<DevAccount[]> {
  if (newest?.mnemonic !== mnemonic || newest.accounts.length < count) {
    newest = { mnemonic, accounts: await derive(mnemonic, count, crypto) }
  }
  return newest.accounts.slice(0, count)
}

async function derive(mnemonic: string, count: number, crypto: Crypto): Promise<DevAccount[]> {
  if (mnemonic !== WELL_KNOWN) await validate(mnemonic)
  const seed = await promisify(pbkdf2)(mnemonic, 'mnemonic', 2048, 64, 'sha512')
  const master = split(hmac(new TextEncoder().encode('Bitcoin seed'), seed))
  const parent = DERIVATION_PATH.reduce((key, index) => child(key, index, crypto), master)
  return Array.from({ length: count }, (_, index) => {
    const { key } = child(parent, index, crypto)
    const address = crypto.keccak256(crypto.publicKey(key)).subarray(12)
    return { address: toHex(address), privateKey: toHex(key) }
  })
}

async function validate(mnemonic: string): Promise<void> {
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  if (validateMnemonic(mnemonic, wordlist)) return
  throw new OptionError(
    'mnemonic must be 12, 15, 18, 21 or 24 English words of BIP-39 with a valid checksum.',
  )
}

/**
 * CKDpriv of BIP-32. Not from a library: those compute the public key of every level in JavaScript,
 * which takes 100 ms at each start; the native secp256k1, loaded anyway, takes 2 ms.
 */
function child({ key, chainCode }: ExtendedKey, index: number, crypto: Crypto): ExtendedKey {
  const position = new Uint8Array(4)
  new DataView(position.buffer).setUint32(0, index)
  const secret = index >= HARDENED ? concatBytes(Uint8Array.of(0), key) : compressedKey(key, crypto)
  const digest = split(hmac(chainCode, concatBytes(secret, position)))
  const sum = (bytesToBigInt(digest.key) + bytesToBigInt(key)) % CURVE_ORDER
  return { key: bigIntTo32Bytes(sum), chainCode: digest.chainCode }
}

function compressedKey(key: Uint8Array, crypto: Crypto): Uint8Array {
  const point = crypto.publicKey(key)
  const odd = (point[63] ?? 0) & 1
  return concatBytes(Uint8Array.of(2 + odd), point.subarray(0, 32))
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac('sha512', key).update(data).digest()
}

function split(digest: Uint8Array): ExtendedKey {
  return { key: digest.slice(0, 32), chainCode: digest.slice(32) }
}
