/**
 * Layout of the core's linear memory, and the core's exits. The core is compiled from the same
 * file, so host and core always agree. Numbers are byte offsets.
 *
 * Every region has a fixed place. The memories of the frames come last, one after the other,
 * because only the topmost of them grows.
 */

/** Control block: results of the core besides its exit. */
export const CONTROL = 0x1000
/** Pointer and length of the data of RETURN or REVERT, or of a range charged for the host. */
export const C_OUTPUT = 0
export const C_OUTPUT_LENGTH = 4
/** Pointer and length of the return data of the current frame's last call. */
export const C_RETURNED = 8
export const C_RETURNED_LENGTH = 12
/** Next free byte of the code region. */
export const C_CODE_TOP = 16

/** Words that all frames of a transaction share: opcode `op` pushes the word `op - 0x30`. */
export const ENVIRONMENT = 0x1100
/** Scratch numbers of the arithmetic. */
export const ARITHMETIC = 0x2000
/** Block buffer of keccak, and its 25 lanes between two pieces of a long message. */
export const KECCAK_BLOCK = 0x3000
export const KECCAK_LANES = 0x3100
/** Input of BLAKE2F, and the vector that it works on. */
export const BLAKE_INPUT = 0x3400
export const BLAKE_VECTOR = 0x3500
/** Words that the host converts. */
export const HOST_WORDS = 0x3800
/** Opcode table, 8 bytes each: gas (u16), items taken, items given, ends a block (u8). */
export const OPCODES = 0x4000
/** Gas of an opcode that the hardfork does not define. */
export const UNDEFINED_GAS = 0xffff

/** Frames by depth: 1,025 are needed for the call depth limit of 1,024. */
export const FRAMES = 0x10000
export const FRAME_SIZE = 0x100
export const MAX_FRAMES = 1025
/** Input of keccak from the host. A longer message comes in pieces. */
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
/** Limit of the linear memory: the host computes indices with signed 32-bit numbers. */
export const MEMORIES_END = 0x80000000

export const WORD = 32
/** Items on the stack of one frame (Yellow Paper, 9.4.2). */
export const MAX_STACK_HEIGHT = 1024

// Fields of a frame.
/** The next instruction; after a failure, the one that failed. */
export const F_INSTRUCTION = 0
/** End of the operand stack, which grows upwards. */
export const F_STACK_TOP = 4
/** Gas of this slice, and gas reserved for later slices (f64). */
export const F_GAS = 8
export const F_RESERVE = 16
/** Start of the operand stack. */
export const F_STACK_BASE = 24
/** Decoded code. */
export const F_CODE = 28
/** Memory and its size, a multiple of 32. */
export const F_MEMORY = 32
export const F_MEMORY_SIZE = 36
/** Call data. */
export const F_INPUT = 40
export const F_INPUT_LENGTH = 44
/** Position in the code at which a suspended frame goes on: after an opcode of the host. */
export const F_POSITION = 48
/** For the host: the epoch of the code region in which the code was decoded. */
export const F_EPOCH = 52
/** Words. */
export const F_ADDRESS = 64
export const F_CALLER = 96
export const F_VALUE = 128

// Fields of a decoded code.
export const K_LENGTH = 0
/** The code's bytes, then zeros for an immediate that reads beyond the end. */
export const K_BYTES = 4
/**
 * A u32 for each byte of the code. JUMPDEST: pointer of its block, plus 1. Any other opcode: the
 * end of its instruction. An immediate: 0.
 */
export const K_PLACES = 8
/** First instruction. */
export const K_START = 12
/** Second decoding, with one block for each opcode, and the blocks by position; 0 until needed. */
export const K_SINGLE = 16
export const K_SINGLE_BLOCKS = 20
export const K_SIZE = 32

// Exits. From EXIT_OUT_OF_GAS to EXIT_OUT_OF_RETURN_DATA, the frame has failed.
export const EXIT_STOP = 0
export const EXIT_RETURN = 1
export const EXIT_REVERT = 2
export const EXIT_OUT_OF_GAS = 3
export const EXIT_STACK_UNDERFLOW = 4
export const EXIT_STACK_OVERFLOW = 5
export const EXIT_INVALID_JUMP = 6
export const EXIT_INVALID_OPCODE = 7
/** RETURNDATACOPY beyond the return data (EIP-211). Its gas has been charged before, as in geth. */
export const EXIT_OUT_OF_RETURN_DATA = 8
/** The slice of gas does not pay for what comes next, and there is a reserve. */
export const EXIT_SLICE_END = 9
/** The code region is full; the frame stands where it stood. */
export const EXIT_CODES_FULL = 10
/** The gas pays for more memory than the core can have. */
export const EXIT_MEMORY_LIMIT = 11
/** Plus an opcode, which the host executes. Its static gas is paid; the frame stands after it. */
export const EXIT_HOST = 0x100
