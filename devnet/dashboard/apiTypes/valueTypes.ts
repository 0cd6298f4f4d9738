/* Values in the types of the API, see api.ts. */

// Not imported: the page uses these types too, and hex.ts needs Node.js.
export type Hex = `0x${string}`

/** wei, in decimal. */
export type Wei = string

/** Names of the addresses in an answer that have one, e.g. `Account #0` or `Counter`. */
export type Names = Readonly<Record<Hex, string>>
