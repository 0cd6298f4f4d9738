import { type ForkRules, type HardforkName, isAtLeast } from '../../protocol/forks.ts'
import { stackEffect } from '../../protocol/opcodes.ts'
import { UNDEFINED_GAS } from './layout.ts'

/** Properties of an opcode that do not depend on its operands. */
export interface OpcodeRow {
  /** Static gas; `undefined` if the hardfork does not define the opcode. */
  readonly gas: number | undefined
  /** Items required on the stack. */
  readonly taken: number
  /** Items in their place afterwards. */
  readonly given: number
  /** Whether gas and stack are checked again after it. */
  readonly endsBlock: boolean
}

/**
 * Static gas since EIP-2929 (Berlin). What depends on operands or state is charged later: by the
 * core for its own opcodes, by the host for the others.
 */
const GAS: readonly (readonly [first: number, last: number, gas: number])[] = [
  [0x00, 0x00, 0], // STOP
  [0x01, 0x01, 3], // ADD
  [0x02, 0x02, 5], // MUL
  [0x03, 0x03, 3], // SUB
  [0x04, 0x07, 5], // DIV SDIV MOD SMOD
  [0x08, 0x09, 8], // ADDMOD MULMOD
  [0x0a, 0x0a, 10], // EXP
  [0x0b, 0x0b, 5], // SIGNEXTEND
  [0x10, 0x1d, 3], // LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR
  [0x20, 0x20, 30], // KECCAK256
  [0x30, 0x30, 2], // ADDRESS
  [0x31, 0x31, 0], // BALANCE
  [0x32, 0x34, 2], // ORIGIN CALLER CALLVALUE
  [0x35, 0x35, 3], // CALLDATALOAD
  [0x36, 0x36, 2], // CALLDATASIZE
  [0x37, 0x37, 3], // CALLDATACOPY
  [0x38, 0x38, 2], // CODESIZE
  [0x39, 0x39, 3], // CODECOPY
  [0x3a, 0x3a, 2], // GASPRICE
  [0x3b, 0x3c, 0], // EXTCODESIZE EXTCODECOPY
  [0x3d, 0x3d, 2], // RETURNDATASIZE
  [0x3e, 0x3e, 3], // RETURNDATACOPY
  [0x3f, 0x3f, 0], // EXTCODEHASH
  [0x40, 0x40, 20], // BLOCKHASH
  [0x41, 0x46, 2], // COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID
  [0x47, 0x47, 5], // SELFBALANCE
  [0x50, 0x50, 2], // POP
  [0x51, 0x53, 3], // MLOAD MSTORE MSTORE8
  [0x54, 0x55, 0], // SLOAD SSTORE
  [0x56, 0x56, 8], // JUMP
  [0x57, 0x57, 10], // JUMPI
  [0x58, 0x5a, 2], // PC MSIZE GAS
  [0x5b, 0x5b, 1], // JUMPDEST
  [0x60, 0x9f, 3], // PUSH DUP SWAP
  [0xa0, 0xa0, 375], // LOG0: 375, and 375 for each topic
  [0xa1, 0xa1, 750],
  [0xa2, 0xa2, 1125],
  [0xa3, 0xa3, 1500],
  [0xa4, 0xa4, 1875],
  [0xf0, 0xf0, 32_000], // CREATE
  [0xf1, 0xf2, 0], // CALL CALLCODE
  [0xf3, 0xf3, 0], // RETURN
  [0xf4, 0xf4, 0], // DELEGATECALL
  [0xf5, 0xf5, 32_000], // CREATE2
  [0xfa, 0xfa, 0], // STATICCALL
  [0xfd, 0xfd, 0], // REVERT
  [0xff, 0xff, 0], // SELFDESTRUCT: the host charges it once it has noted the access
]

/** Opcodes that came after Berlin. */
const ADDED: readonly (readonly [since: HardforkName, opcode: number, gas: number])[] = [
  ['london', 0x48, 2], // BASEFEE (EIP-3198)
  ['shanghai', 0x5f, 2], // PUSH0 (EIP-3855)
  ['cancun', 0x49, 3], // BLOBHASH (EIP-4844)
  ['cancun', 0x4a, 2], // BLOBBASEFEE (EIP-7516)
  ['cancun', 0x5c, 100], // TLOAD (EIP-1153)
  ['cancun', 0x5d, 100], // TSTORE (EIP-1153)
  ['cancun', 0x5e, 3], // MCOPY (EIP-5656)
  ['osaka', 0x1e, 5], // CLZ (EIP-7939)
]

/**
 * Opcodes that end a block, so that gas is exact wherever it is read: those of the host, those that
 * jump or end the frame, GAS, and RETURNDATACOPY, whose failure has its own exit.
 */
const BLOCK_ENDS: ReadonlySet<number> = new Set([
  0x00, // STOP
  0x31, // BALANCE
  0x3b, // EXTCODESIZE
  0x3c, // EXTCODECOPY
  0x3e, // RETURNDATACOPY
  0x3f, // EXTCODEHASH
  0x40, // BLOCKHASH
  0x47, // SELFBALANCE
  0x49, // BLOBHASH
  0x54, // SLOAD
  0x55, // SSTORE
  0x56, // JUMP
  0x57, // JUMPI
  0x5a, // GAS
  0x5c, // TLOAD
  0x5d, // TSTORE
  ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4], // LOG
  ...[0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfa, 0xfd, 0xff], // CREATE, CALL and so on
])

/** All 256 opcodes under a hardfork. Exported for tests. @throws {RangeError} before Berlin */
export function opcodeRows({ hardfork }: Pick<ForkRules, 'hardfork'>): OpcodeRow[] {
  if (!isAtLeast(hardfork, 'berlin')) {
    throw new RangeError(`The core knows the hardforks from Berlin on, not ${hardfork}`)
  }
  const gas = new Map<number, number>()
  for (const [first, last, amount] of GAS) {
    for (let opcode = first; opcode <= last; opcode++) gas.set(opcode, amount)
  }
  for (const [since, opcode, amount] of ADDED) {
    if (isAtLeast(hardfork, since)) gas.set(opcode, amount)
  }
  return Array.from({ length: 256 }, (_, opcode) => {
    const { needs, grows } = stackEffect(opcode)
    const isDefined = gas.has(opcode)
    return {
      gas: gas.get(opcode),
      taken: isDefined ? needs : 0,
      given: isDefined ? needs + grows : 0,
      endsBlock: !isDefined || BLOCK_ENDS.has(opcode),
    }
  })
}

/** The opcodes of a hardfork in the form of the core. @throws {RangeError} before Berlin */
export function opcodeTable(rules: Pick<ForkRules, 'hardfork'>): Uint8Array {
  const table = new DataView(new ArrayBuffer(256 * 8))
  for (const [opcode, { gas, taken, given, endsBlock }] of opcodeRows(rules).entries()) {
    table.setUint16(opcode * 8, gas ?? UNDEFINED_GAS, true)
    table.setUint8(opcode * 8 + 2, taken)
    table.setUint8(opcode * 8 + 3, given)
    table.setUint8(opcode * 8 + 4, endsBlock ? 1 : 0)
  }
  return new Uint8Array(table.buffer)
}
