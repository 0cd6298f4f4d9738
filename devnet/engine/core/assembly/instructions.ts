/**
 * Instructions of the decoded stream. Each is 8 bytes: number (u16), detail (u16), immediate (u32).
 *
 * The numbers are dense, and each arm of the interpreter's switch has one number of its own: only
 * then does the compiler make a single jump table. Arithmetic, comparisons and bit operations have
 * the numbers of the EVM.
 */
export const enum I {
  STOP = 0x00,
  ADD = 0x01,
  MUL = 0x02,
  SUB = 0x03,
  DIV = 0x04,
  SDIV = 0x05,
  MOD = 0x06,
  SMOD = 0x07,
  ADDMOD = 0x08,
  MULMOD = 0x09,
  EXP = 0x0a,
  SIGNEXTEND = 0x0b,
  /** Pushes a word of the environment. Immediate: pointer of the word. */
  ENVIRONMENT = 0x0c,
  CALLDATACOPY = 0x0d,
  CODECOPY = 0x0e,
  RETURNDATACOPY = 0x0f,
  LT = 0x10,
  GT = 0x11,
  SLT = 0x12,
  SGT = 0x13,
  EQ = 0x14,
  ISZERO = 0x15,
  AND = 0x16,
  OR = 0x17,
  XOR = 0x18,
  NOT = 0x19,
  BYTE = 0x1a,
  SHL = 0x1b,
  SHR = 0x1c,
  SAR = 0x1d,
  CLZ = 0x1e,
  MCOPY = 0x1f,
  KECCAK256 = 0x20,
  ADDRESS = 0x21,
  CALLER = 0x22,
  CALLVALUE = 0x23,
  CALLDATALOAD = 0x24,
  CALLDATASIZE = 0x25,
  CODESIZE = 0x26,
  RETURNDATASIZE = 0x27,
  POP = 0x28,
  MLOAD = 0x29,
  MSTORE = 0x2a,
  MSTORE8 = 0x2b,
  JUMP = 0x2c,
  JUMPI = 0x2d,
  PC = 0x2e,
  MSIZE = 0x2f,
  GAS = 0x30,
  RETURN = 0x31,
  REVERT = 0x32,
  INVALID = 0x33,
  /** 16 bytes. Immediate: gas; then items needed (u16), greatest growth (u16), position (u32). */
  BLOCK = 0x34,
  /** Immediate: the value. */
  PUSH_SMALL = 0x35,
  /** 40 bytes: the word follows the instruction. */
  PUSH_WORD = 0x36,
  /** Detail: number of the item, 1 for the top. */
  DUP = 0x37,
  SWAP = 0x38,
  // The following stand for several opcodes each.
  /** Immediate: pointer of the block; 0 if the target is not a JUMPDEST. */
  JUMP_TO = 0x39,
  JUMP_TO_IF = 0x3a,
  JUMP_TO_UNLESS = 0x3b,
  /** Immediate: the pushed number. */
  ADD_SMALL = 0x3c,
  EQ_SMALL = 0x3d,
  SHR_SMALL = 0x3e,
  SHL_SMALL = 0x3f,
  /** 40 bytes: the word follows the instruction. */
  AND_WORD = 0x40,
  /** Immediate: the offset. Detail: the item of a DUP before; 0: the top, which is popped. */
  MSTORE_AT = 0x41,
  /** Immediate: the offset. */
  MLOAD_AT = 0x42,
  SWAP_POP = 0x43,
  POP_POP = 0x44,
  DUP_ADD = 0x45,
  /** Detail: the first item; in the high byte, the second. */
  DUP_DUP = 0x46,
  // Comparisons with jumps, in the order of LT to EQ. Immediate: as in JUMP_TO.
  LT_JUMP_IF = 0x47,
  GT_JUMP_IF = 0x48,
  SLT_JUMP_IF = 0x49,
  SGT_JUMP_IF = 0x4a,
  EQ_JUMP_IF = 0x4b,
  LT_JUMP_UNLESS = 0x4c,
  GT_JUMP_UNLESS = 0x4d,
  SLT_JUMP_UNLESS = 0x4e,
  SGT_JUMP_UNLESS = 0x4f,
  EQ_JUMP_UNLESS = 0x50,
  /** Detail: the opcode. Immediate: its position. */
  HOST = 0x51,
  /** Detail: the items below the top that change places; the deeper one in the high byte. */
  EXCHANGE = 0x52,
}
