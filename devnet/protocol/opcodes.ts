/**
 * The opcodes as geth names them, each with the stack items that it pops and pushes: `21` pops 2
 * and pushes 1. Each key is the first opcode of a run of consecutive ones.
 */
const RUNS: Readonly<Record<number, string>> = {
  0:
    'STOP:00 ADD:21 MUL:21 SUB:21 DIV:21 SDIV:21 MOD:21 SMOD:21 ADDMOD:31 MULMOD:31 EXP:21 ' +
    'SIGNEXTEND:21',
  16:
    'LT:21 GT:21 SLT:21 SGT:21 EQ:21 ISZERO:11 AND:21 OR:21 XOR:21 NOT:11 BYTE:21 SHL:21 SHR:21 ' +
    'SAR:21 CLZ:11',
  32: 'KECCAK256:21',
  48:
    'ADDRESS:01 BALANCE:11 ORIGIN:01 CALLER:01 CALLVALUE:01 CALLDATALOAD:11 CALLDATASIZE:01 ' +
    'CALLDATACOPY:30 CODESIZE:01 CODECOPY:30 GASPRICE:01 EXTCODESIZE:11 EXTCODECOPY:40 ' +
    'RETURNDATASIZE:01 RETURNDATACOPY:30 EXTCODEHASH:11',
  64:
    'BLOCKHASH:11 COINBASE:01 TIMESTAMP:01 NUMBER:01 DIFFICULTY:01 GASLIMIT:01 CHAINID:01 ' +
    'SELFBALANCE:01 BASEFEE:01 BLOBHASH:11 BLOBBASEFEE:01 SLOTNUM:01',
  80:
    'POP:10 MLOAD:11 MSTORE:20 MSTORE8:20 SLOAD:11 SSTORE:20 JUMP:10 JUMPI:20 PC:01 MSIZE:01 ' +
    'GAS:01 JUMPDEST:00 TLOAD:11 TSTORE:20 MCOPY:30 PUSH0:01',
  160: 'LOG0:20 LOG1:30 LOG2:40 LOG3:50 LOG4:60',
  // Without the items that their immediates name.
  230: 'DUPN:12 SWAPN:22 EXCHANGE:22',
  240: 'CREATE:31 CALL:71 CALLCODE:71 RETURN:20 DELEGATECALL:61 CREATE2:41',
  250: 'STATICCALL:61',
  253: 'REVERT:20 INVALID:00 SELFDESTRUCT:10',
}

interface Arity {
  readonly needs: number
  /** Items by which the stack grows; negative if it shrinks. */
  readonly grows: number
}

const opcodes = opcodeTable()

function opcodeTable(): (Arity & { readonly name: string })[] {
  const table = Array.from({ length: 256 }, (_, code) => ({
    name: `opcode 0x${code.toString(16)} not defined`,
    needs: 0,
    grows: 0,
  }))
  for (const [first, list] of Object.entries(RUNS)) {
    for (const [index, entry] of list.split(' ').entries()) {
      const [name = '', [pops, pushes] = ''] = entry.split(':')
      const needs = Number(pops)
      table[Number(first) + index] = { name, needs, grows: Number(pushes) - needs }
    }
  }
  for (let count = 1; count <= 32; count++) {
    table[0x5f + count] = { name: `PUSH${count}`, needs: 0, grows: 1 }
  }
  for (let count = 1; count <= 16; count++) {
    table[0x7f + count] = { name: `DUP${count}`, needs: count, grows: 1 }
    table[0x8f + count] = { name: `SWAP${count}`, needs: count + 1, grows: 0 }
  }
  return table
}

/** Name of an opcode as geth prints it, even if the hardfork lacks it. */
export function opcodeName(code: number): string {
  return opcodes[code]?.name ?? ''
}

/**
 * Items that an opcode requires on the stack, and by which the stack grows. DUPN, SWAPN and
 * EXCHANGE may require more, depending on their immediate: see {@link itemsNamed}.
 */
export function stackEffect(code: number): Arity {
  return opcodes[code] ?? { needs: 0, grows: 0 }
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

export const Op = {
  exp: 0x0a,
  isZero: 0x15,
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
  slotNum: 0x4b,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpIf: 0x57,
  gas: 0x5a,
  tload: 0x5c,
  tstore: 0x5d,
  mcopy: 0x5e,
  push1: 0x60,
  push32: 0x7f,
  log0: 0xa0,
  log4: 0xa4,
  dupN: 0xe6,
  swapN: 0xe7,
  exchange: 0xe8,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfDestruct: 0xff,
} as const

/** True if an immediate byte follows an opcode (EIP-8024), in a hardfork that defines it. */
export function hasImmediate(code: number): boolean {
  return code >= Op.dupN && code <= Op.exchange
}

/**
 * Items that DUPN, SWAPN or EXCHANGE require on the stack, given their immediate; `undefined` if
 * EIP-8024 excludes the immediate.
 */
export function itemsNamed(code: number, immediate: number): number | undefined {
  if (immediate > (code === Op.exchange ? 81 : 90) && immediate < 128) return undefined
  if (code !== Op.exchange) return ((immediate + 145) & 0xff) + (code === Op.swapN ? 1 : 0)
  const row = (immediate ^ 143) >> 4
  const column = (immediate ^ 143) & 15
  return (row < column ? column + 1 : 29 - row) + 1
}

/**
 * The error of DUPN, SWAPN or EXCHANGE with this immediate, in geth's words, after its gas is paid;
 * `undefined` if there is none. {@link stackFault} comes before the gas.
 */
export function immediateFault(
  code: number,
  immediate: number,
  height: number,
): string | undefined {
  const needs = itemsNamed(code, immediate)
  if (needs === undefined) {
    const operand = immediate.toString(16).padStart(2, '0')
    return `invalid opcode: ${opcodeName(code)} (operand: 0x${operand})`
  }
  return height < needs ? `stack underflow (${height} <=> ${needs})` : undefined
}
