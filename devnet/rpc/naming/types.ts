/** A call of a function, or the creation of a contract, decoded by its ABI. */
export interface DecodedCall {
  /**
   * Name of the contract; `null` if only the selector is known, as for ERC-20, 721 and 1155. If
   * several contracts have the same code, `A or B`.
   */
  readonly contract: string | null
  /** True if the contract was found behind a proxy (EIP-1967, 1167) or a delegation (EIP-7702). */
  readonly isProxied: boolean
  /** Present and true if it is a delegation. */
  readonly isDelegated?: true
  /** Canonical signature, e.g. `transfer(address,uint256)`; `null` for a creation. */
  readonly function: string | null
  /** `null` if the data does not fit the function. */
  readonly arguments: readonly DecodedArgument[] | null
}

export interface DecodedArgument {
  /** Empty if it has none, as elements of arrays. */
  readonly name: string
  /** Canonical, e.g. `uint256` or `(address,uint256)[]`. */
  readonly type: string
  /**
   * Integers in decimal, addresses with checksum and number, bytes in hexadecimal, strings in
   * quotes; a list for arrays and tuples. What is long is cut.
   */
  readonly value: string | readonly DecodedArgument[]
  /** An amount of a token in its unit, e.g. `70 USDT`. Absent if it is not known to be one. */
  readonly amount?: string
  /** Number of elements that were left out of a list. */
  readonly omitted?: number | undefined
  /** The call or error that these `bytes` hold, of a known contract; they are cut then. */
  readonly holds?: Held | undefined
}

/** A call or an error inside of the arguments of another one. */
export interface Held {
  /** Of the function or error. */
  readonly name: string
  readonly arguments: readonly DecodedArgument[]
}
