/**
 * Reasons why a frame fails, with geth's words for each as far as they need nothing of the frame.
 */
export const HALTS = {
  revert: 'revert',
  outOfGas: 'out of gas',
  codeStoreOutOfGas: 'contract creation code storage out of gas',
  stackUnderflow: 'stack underflow',
  stackOverflow: 'stack limit reached 1024 (1023)',
  invalidJump: 'invalid jump destination',
  invalidOpcode: 'invalid opcode',
  outOfReturnData: 'return data out of bounds',
  writeProtection: 'write protection',
  createCollision: 'contract address collision',
  insufficientBalance: 'insufficient balance for transfer',
  valueOverflow: 'value overflow',
  codeSize: 'max code size exceeded',
  initCodeSize: 'max initcode size exceeded',
  invalidCode: 'invalid code: must not begin with 0xef',
  depth: 'max call depth exceeded',
  nonceOverflow: 'nonce uint64 overflow',

  // Of a deposit that cannot begin.
  intrinsicGas: 'intrinsic gas too low',

  // Of precompiles.
  inputLength: 'invalid input length',
  finalFlag: 'invalid final flag',
  pairingSize: 'bad elliptic curve pairing size',
  fieldElement: 'invalid fp.Element encoding',
  notOnCurve: 'point is not on curve',
  notInSubgroup: 'point is not on curve, or not in its subgroup',
  notInField: 'fp point not in field',
  blsNotOnCurve: 'point not on curve',
  versionedHash: 'mismatched versioned hash',
  kzgProof: 'error verifying kzg proof',

  // Of @ethereumjs/evm alone.
  outOfRange: 'value out of range',
  internal: 'internal error',
} as const

export type Halt = keyof typeof HALTS
