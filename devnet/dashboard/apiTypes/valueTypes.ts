/* Values in the types of the API, see api.ts. */

import type { Hex } from '../../primitives/hex.ts'

/** wei, in decimal. */
export type Wei = string

/** Names of the addresses in an answer that have one, e.g. `Account #0` or `Counter`. */
export type Names = Readonly<Record<Hex, string>>
