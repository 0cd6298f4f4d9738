import { EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import { forkRules } from '../../protocol/forks.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { Core } from '../core/core.ts'
import { EXIT_RETURN, FRAMES, MEMORIES, STACKS } from '../core/layout.ts'

/** Returns SDIV(2^255, 3), after a loop that counts to 3 and a jump. */
const PROGRAM = Uint8Array.from([
  0x60, 0, 0x5b, 0x60, 1, 0x01, 0x80, 0x60, 3, 0x11, 0x60, 2, 0x57, 0x60, 1, 0x60, 0xff, 0x1b, 0x05,
  0x60, 0, 0x52, 0x60, 0x20, 0x60, 0, 0xf3,
])
const RESULT = '0xd555555555555555555555555555555555555555555555555555555555555556'
const GAS = 1000
const GAS_LEFT = 881

/**
 * Reason why the core does not work here; `undefined` if it works. It may not load, or compute
 * wrong results: it hashes, divides and runs one program.
 */
export function selfTestFailure(): unknown {
  try {
    const core = new Core(forkRules('berlin'))
    core.enter(FRAMES, {
      code: PROGRAM,
      stack: STACKS,
      memory: MEMORIES,
      input: MEMORIES,
      inputLength: 0,
      gas: GAS,
    })
    const exit = core.run(FRAMES, PROGRAM)
    const result = core.u8.slice(core.output, core.output + core.outputLength)
    const isRight =
      sameBytes(core.keccak256(EMPTY_BYTES), EMPTY_CODE_HASH) &&
      exit === EXIT_RETURN &&
      toHex(result) === RESULT &&
      core.gasLeft(FRAMES) === GAS_LEFT
    return isRight ? undefined : new Error('its self-test gave a wrong result')
  } catch (error) {
    // No WebAssembly, no SIMD or no build.
    return error
  }
}
