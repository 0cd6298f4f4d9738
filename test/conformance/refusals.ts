/**
 * What the sentence that refuses a block says, by the exception that a consensus test expects; of several exceptions,
 * joined by `|`, one has to fit.
 */
export const REFUSALS: Readonly<Record<string, RegExp>> = {
  'BlockException.INCORRECT_BLOCK_FORMAT': /has a header of \d+ fields, which no hardfork has/,
  'BlockException.INCORRECT_EXCESS_BLOB_GAS': /has excessBlobGas \d+, expected \d+/,
  'BlockException.INVALID_BASEFEE_PER_GAS': /has baseFeePerGas \d+, expected \d+/,
  'BlockException.INVALID_DEPOSIT_EVENT_LAYOUT': /has a deposit log whose .* EIP-6110/,
  'BlockException.INVALID_GASLIMIT': /has gasLimit \d+, expected \d+ to \d+/,
  'BlockException.INVALID_REQUESTS': /has requestsHash \w+, expected/,
  'BlockException.INVALID_WITHDRAWALS_ROOT': /has withdrawalsRoot \w+, expected/,
  'BlockException.SYSTEM_CONTRACT_CALL_FAILED':
    /calls the contract of \w+ requests, \w+, which fails/,
  'BlockException.SYSTEM_CONTRACT_EMPTY': /has no code at \w+, where the contract of/,
  'TransactionException.GASLIMIT_PRICE_PRODUCT_OVERFLOW': /gas limit times fee is above/,
  'TransactionException.GAS_ALLOWANCE_EXCEEDED': /asks for more gas than the block has left/,
  'TransactionException.GAS_LIMIT_EXCEEDS_MAXIMUM': /transaction gas limit too high/,
  'TransactionException.INITCODE_SIZE_EXCEEDED': /max initcode size exceeded/,
  'TransactionException.INSUFFICIENT_ACCOUNT_FUNDS': /whose sender cannot pay for it/,
  'TransactionException.INSUFFICIENT_MAX_FEE_PER_BLOB_GAS': /whose fee cap is below the block's/,
  'TransactionException.INSUFFICIENT_MAX_FEE_PER_GAS': /whose fee cap is below the block's/,
  'TransactionException.INTRINSIC_GAS_TOO_LOW': /intrinsic gas too low/,
  'TransactionException.NONCE_IS_MAX': /nonce has max value/,
  'TransactionException.NONCE_MISMATCH_TOO_LOW': /whose nonce is below its sender's/,
  'TransactionException.PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS':
    /max priority fee per gas higher than max fee per gas/,
  'TransactionException.SENDER_NOT_EOA': /address is not EOA/,
  'TransactionException.TYPE_3_TX_BLOB_COUNT_EXCEEDED': /has too many blobs|has blobGasUsed \d+/,
  'TransactionException.TYPE_3_TX_CONTRACT_CREATION': /blob transaction of type create/,
  'TransactionException.TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH': /blob \d+ has invalid hash version/,
  'TransactionException.TYPE_3_TX_PRE_FORK': /type 3 under hardfork shanghai/,
  'TransactionException.TYPE_3_TX_ZERO_BLOBS': /missing blob hashes/,
  'TransactionException.TYPE_4_EMPTY_AUTHORIZATION_LIST': /with empty auth list/,
  'TransactionException.TYPE_4_TX_CONTRACT_CREATION': /cannot be used to create contract/,
  'TransactionException.TYPE_4_TX_PRE_FORK': /type 4 under hardfork cancun/,
}
