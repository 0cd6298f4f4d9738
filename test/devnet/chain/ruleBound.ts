import type { Hex } from '../../../devnet/primitives/hex.ts'

/** Code that reverts unless CHAINID is 31337, and else logs it. */
export const GUARD: Hex = '0x46617a6914600b575f5ffd5b465f5260205fa000'

/** Code that stores and logs what CHAINID returns. */
export const REPORTER: Hex = '0x465f55465f5260205fa000'

/** Bytes of code that {@link CREATES_LARGE} deploys: more than EIP-170 allows. */
export const CODE_SIZE = 30_000

/** Init code of a contract of {@link CODE_SIZE} bytes. */
export const CREATES_LARGE: Hex = `0x62${CODE_SIZE.toString(16).padStart(6, '0')}5ff3`

/** Init code that is longer than EIP-3860 allows, and deploys nothing. */
export const LONG_INIT_CODE: Hex = `0x5f5ff3${'00'.repeat(60_000)}`
