import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { Crypto } from '../engine/crypto.ts'
import { OptionError } from '../errors.ts'
import type { DevAccount } from '../types.ts'
import { toHex } from './bytes.ts'

/** As hardhat node and anvil. */
const DERIVATION_PATH = "m/44'/60'/0'/0"

/**
 * The accounts of a mnemonic (BIP-39, BIP-44).
 *
 * @throws {OptionError} where the words are no mnemonic
 */
export function deriveAccounts(mnemonic: string, count: number, crypto: Crypto): DevAccount[] {
  if (!validateMnemonic(mnemonic, wordlist)) {
    throw new OptionError(
      'mnemonic must be 12, 15, 18, 21 or 24 English words of BIP-39 with a right checksum.',
    )
  }
  const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(DERIVATION_PATH)
  return Array.from({ length: count }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (privateKey === null) throw new Error('A derived key has a private part')
    const address = crypto.keccak256(crypto.publicKey(privateKey)).subarray(12)
    return { address: toHex(address), privateKey: toHex(privateKey) }
  })
}
