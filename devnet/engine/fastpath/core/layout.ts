/**
 * Where things lie in the core's linear memory, and what the core answers. The core is compiled from
 * the same file, so both sides always agree. All numbers are byte offsets unless said otherwise.
 *
 * Regions have fixed places, but for the memories of the frames. These come last, one behind the
 * other, because only the topmost of them grows.
 */

/** Control block: what the core answers besides its exit. */
export const CONTROL = 0x1000
/** Pointer and length of what RETURN or REVERT gives back, or of the range that was last charged. */
export const C_OUTPUT = 0
export const C_OUTPUT_LENGTH = 4
/** Pointer and length of the return data of the current frame's last call. */
export const C_RETURNED = 8
export const C_RETURNED_LENGTH = 12
/** Next free byte of the code region. */
export const C_CODE_TOP = 16

/** Words that are the same in all frames of a transaction: opcode `op` pushes the word `op - 0x30`. */
export const ENVIRONMENT = 0x1100
/** Scratch numbers of the arithmetic. */
export const ARITHMETIC = 0x2000
/** Block buffer of keccak, and its 25 lanes between two pieces of a long message. */
export const KECCAK_BLOCK = 0x3000
export const KECCAK_LANES = 0x3100
/** Words that the host converts. */
export const HOST_WORDS = 0x3800
/** Opcode table, 8 bytes for each opcode: gas (u16), items taken, items given, ends a block (u8). */
export const OPCODES = 0x4000
/** Gas of an opcode that the hardfork does not define. */
export const UNDEFINED_GAS = 0xffff

/** Frames by depth: 1,025 are needed for the call depth limit of 1,024. */
export const FRAMES = 0x10000
export const FRAME_SIZE = 0x100
export const MAX_FRAMES = 1025
/** Bytes that the host gives to keccak, one piece at a time. */
export const KECCAK_INPUT = 0x60000
export const KECCAK_INPUT_SIZE = 0x20000
/** One operand stack for all frames: a child's begins where its parent's ends. */
export const STACKS = 0x80000
export const STACKS_END = 0x2100000
/** Decoded codes. */
export const CODES = 0x2100000
export const CODES_END = 0x3100000
/** Memories of the frames, and return data above the topmost of them. */
export const MEMORIES = 0x3100000
/** Nothing lies beyond: the host computes indices with signed numbers of 32 bits. */
export const MEMORIES_END = 0x80000000

export const WORD = 32
/** Items on the stack of one frame (Yellow Paper, 9.4.2). */
export const MAX_STACK_HEIGHT = 1024

// Fields of a frame.
/** Next instruction; after a failure the instruction that failed. */
export const F_INSTRUCTION = 0
/** End of the operand stack, which grows upwards. */
export const F_STACK_TOP = 4
/** Gas of this slice, and gas set aside for later slices (f64). */
export const F_GAS = 8
export const F_RESERVE = 16
/** Begin of the operand stack. */
export const F_STACK_BASE = 24
/** Decoded code. */
export const F_CODE = 28
/** Memory and its size, a multiple of 32. */
export const F_MEMORY = 32
export const F_MEMORY_SIZE = 36
/** Call data. */
export const F_INPUT = 40
export const F_INPUT_LENGTH = 44
/** Position in the code of the opcode that left to the host. */
export const F_POSITION = 48
/** Which filling of the code region the code lies in; for the host. */
export const F_EPOCH = 52
/** Words. */
export const F_ADDRESS = 64
export const F_CALLER = 96
export const F_VALUE = 128

// Fields of a decoded code.
export const K_LENGTH = 0
/** The code's bytes, followed by zeros as a PUSH at its end reads them. */
export const K_BYTES = 4
/**
 * For each byte of the code a u32. At a JUMPDEST: its block, plus 1. At another opcode: the end of
 * the instruction that contains it. Within a PUSH: 0.
 */
export const K_PLACES = 8
/** First instruction. */
export const K_START = 12
/** The decoding with one block for each opcode, and its block of each opcode; 0 until needed. */
export const K_SINGLE = 16
export const K_SINGLE_BLOCKS = 20
export const K_SIZE = 32

// Exits. Everything from FAILED on takes all gas of the frame.
export const EXIT_STOP = 0
export const EXIT_RETURN = 1
export const EXIT_REVERT = 2
export const EXIT_OUT_OF_GAS = 3
export const EXIT_STACK_UNDERFLOW = 4
export const EXIT_STACK_OVERFLOW = 5
export const EXIT_INVALID_JUMP = 6
export const EXIT_INVALID_OPCODE = 7
/** RETURNDATACOPY beyond the return data (EIP-211), after its gas, as geth charges it. */
export const EXIT_OUT_OF_RETURN_DATA = 8
/** The slice of gas is used up, and there is a reserve. */
export const EXIT_SLICE_END = 9
/** The code region is full; the frame has not moved. */
export const EXIT_CODES_FULL = 10
/** There is gas for this memory, but the core cannot have so much. */
export const EXIT_MEMORY_LIMIT = 11
/** Plus the opcode: it is the host's. Its static gas is paid and the frame stands behind it. */
export const EXIT_HOST = 0x100
