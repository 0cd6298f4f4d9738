/** Names as geth prints them. Each key is the first opcode of a run of consecutive ones. */
const NAMES: Readonly<Record<number, string>> = {
  0: 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND',
  16: 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ',
  32: 'KECCAK256',
  48:
    'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE ' +
    'CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH',
  64:
    'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE ' +
    'BLOBHASH BLOBBASEFEE',
  80:
    'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY ' +
    'PUSH0',
  160: 'LOG0 LOG1 LOG2 LOG3 LOG4',
  240: 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2',
  250: 'STATICCALL',
  253: 'REVERT INVALID SELFDESTRUCT',
}

const names = nameTable()

function nameTable(): string[] {
  const table = Array.from(
    { length: 256 },
    (_, code) => `opcode 0x${code.toString(16)} not defined`,
  )
  for (const [first, list] of Object.entries(NAMES)) {
    for (const [index, name] of list.split(' ').entries()) table[Number(first) + index] = name
  }
  for (let count = 1; count <= 32; count++) table[0x5f + count] = `PUSH${count}`
  for (let count = 1; count <= 16; count++) {
    table[0x7f + count] = `DUP${count}`
    table[0x8f + count] = `SWAP${count}`
  }
  return table
}

/** Name of an opcode as geth prints it, even if the hardfork lacks it. */
export function opcodeName(code: number): string {
  return names[code] ?? ''
}

/** Stack items that opcodes pop and push: `21` pops 2 and pushes 1. Keys are as in `NAMES`. */
const ARITIES: Readonly<Record<number, string>> = {
  0: '00 21 21 21 21 21 21 21 31 31 21 21',
  16: '21 21 21 21 21 11 21 21 21 11 21 21 21 21 11',
  32: '21',
  48: '01 11 01 01 01 11 01 30 01 30 01 11 40 01 30 11',
  64: '11 01 01 01 01 01 01 01 01 11 01',
  80: '10 11 20 20 11 20 10 20 01 01 01 00 11 20 30 01',
  160: '20 30 40 50 60',
  240: '31 71 71 20 61 41',
  250: '61',
  253: '20 00 10',
}

interface Arity {
  /** Items required on the stack. */
  readonly needs: number
  /** Items by which the stack grows; negative if it shrinks. */
  readonly grows: number
}

const arities = arityTable()

function arityTable(): Arity[] {
  const table: Arity[] = Array.from({ length: 256 }, () => ({ needs: 0, grows: 0 }))
  for (const [first, list] of Object.entries(ARITIES)) {
    for (const [index, [pops, pushes]] of list.split(' ').entries()) {
      table[Number(first) + index] = { needs: Number(pops), grows: Number(pushes) - Number(pops) }
    }
  }
  for (let code = 0x60; code <= 0x7f; code++) table[code] = { needs: 0, grows: 1 }
  for (let count = 1; count <= 16; count++) {
    table[0x7f + count] = { needs: count, grows: 1 }
    table[0x8f + count] = { needs: count + 1, grows: 0 }
  }
  return table
}

/** Items that an opcode requires on the stack, and by which the stack grows. */
export function stackEffect(code: number): Arity {
  return arities[code] ?? { needs: 0, grows: 0 }
}

/** Stack limit, in items. */
const MAX_HEIGHT = 1024

/**
 * The error of a defined opcode on a stack of this height, in geth's words; `undefined` if there
 * is none.
 */
export function stackFault(code: number, height: number): string | undefined {
  const { needs, grows } = stackEffect(code)
  if (height < needs) return `stack underflow (${height} <=> ${needs})`
  const limit = MAX_HEIGHT - grows
  return grows > 0 && height > limit ? `stack limit reached ${height} (${limit})` : undefined
}

/** Opcodes that other modules refer to. */
export const Op = {
  exp: 0x0a,
  keccak256: 0x20,
  balance: 0x31,
  origin: 0x32,
  callDataCopy: 0x37,
  codeCopy: 0x39,
  gasPrice: 0x3a,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  returnDataCopy: 0x3e,
  extCodeHash: 0x3f,
  blockHash: 0x40,
  coinbase: 0x41,
  timestamp: 0x42,
  number: 0x43,
  prevRandao: 0x44,
  gasLimit: 0x45,
  chainId: 0x46,
  selfBalance: 0x47,
  baseFee: 0x48,
  blobHash: 0x49,
  blobBaseFee: 0x4a,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  tload: 0x5c,
  tstore: 0x5d,
  mcopy: 0x5e,
  log0: 0xa0,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  revert: 0xfd,
  selfDestruct: 0xff,
} as const
