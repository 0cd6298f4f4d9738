import { EVMError, type Message } from '@ethereumjs/evm'
import { toHex } from '../../chain/bytes.ts'
import { libraryWords } from './haltWords.ts'

/** Bytes that BLAKE2F takes (EIP-152). */
const BLAKE2F_LENGTH = 213

/** Why a precompile failed, in geth's words where the library has others. */
export function precompileWords({ codeAddress, data }: Message, error: EVMError): string {
  const { errorMessages } = EVMError
  switch (`${Number(toHex(codeAddress.bytes))} ${error.error}`) {
    case `8 ${errorMessages.INVALID_INPUT_LENGTH}`:
      return 'bad elliptic curve pairing size'
    case `9 ${errorMessages.OUT_OF_RANGE}`:
      return data.length === BLAKE2F_LENGTH ? 'invalid final flag' : 'invalid input length'
    case `10 ${errorMessages.INVALID_COMMITMENT}`:
      return 'mismatched versioned hash'
    case `10 ${errorMessages.INVALID_PROOF}`:
    case `10 ${errorMessages.INVALID_INPUTS}`:
      return 'error verifying kzg proof'
    default:
      return libraryWords(error)
  }
}
