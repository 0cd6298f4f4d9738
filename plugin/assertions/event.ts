import type { Hex } from '../../devnet/types.ts'

/** A parameter of an event, as in an ABI; those of viem, ethers, Hardhat's artifacts and solc fit. */
export interface AbiParameter {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  /** Of a tuple. */
  readonly components?: readonly AbiParameter[] | undefined
}

/** An entry of an ABI. */
export interface AbiItem {
  readonly type: string
  readonly name?: string | undefined
  readonly inputs?: readonly AbiParameter[] | undefined
  readonly anonymous?: boolean | undefined
}

/**
 * An ABI as JSON, lines such as `event Transfer(address indexed from, address indexed to, uint256 value)`, or an
 * `Interface` of ethers.
 */
export type AbiLike = readonly (AbiItem | string)[] | { formatJson(): string }

/** The names of the events of an ABI that is written `as const`; any text for other ABIs. */
export type EventName<Abi> = Abi extends readonly (infer Item)[]
  ? [Extract<Item, { readonly type: 'event'; readonly name: string }>] extends [never]
    ? string
    : // A whole signature names one of several events of the same name.
        | Extract<Item, { readonly type: 'event'; readonly name: string }>['name']
        | `${string}(${string})`
  : string

/** An event by its ABI. */
export interface AbiEvent<Abi extends AbiLike = AbiLike> {
  /** Contract that emits it. Default: any */
  readonly address?: string | undefined
  readonly abi: Abi
  /** Name, or whole signature such as `Transfer(address,address,uint256)` where events share a name. */
  readonly eventName: EventName<Abi>
  /**
   * Arguments by name, or in their order; those left out, `undefined` or `null` may be any. Integers are bigints or
   * numbers; bytes are hexadecimal; an indexed `string` is compared by its hash, other indexed values that have no
   * fixed size are given as their hash. Functions and asymmetric matchers decide by themselves. Default: any
   */
  readonly args?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined
  readonly topics?: undefined
}

/** An event by its topics, as in a filter of `eth_getLogs`; without topics, any log. */
export interface RawEvent {
  /** Contract that emits it. Default: any */
  readonly address?: string | undefined
  /** Each one is a topic, a list of which one has to be there, or `null` for any. Default: any */
  readonly topics?: readonly (Hex | null | readonly Hex[])[] | undefined
  readonly abi?: undefined
  readonly eventName?: undefined
  readonly args?: undefined
}

/** The event that `toEmitBeforeSeal` looks for. */
export type ExpectedEvent<Abi extends AbiLike = AbiLike> = AbiEvent<Abi> | RawEvent
