import type * as z from 'zod'
import { InvalidParamsError } from '../primitives/errors.ts'
import { describeIssue, FIRST_ISSUE_ONLY } from './schemas/issues.ts'

/** Checks and reads the positional parameters of a method. */
export interface ParamsSchema<Params> {
  /** Answers one value for each known parameter. @throws {InvalidParamsError} */
  read(args: readonly unknown[]): readonly unknown[]
  /** Never set: it carries the type, contravariantly, so that a table can hold every method as `RpcMethod<never>`. */
  readonly accepts?: ((params: Params) => void) | undefined
}

/** What {@link params} makes. */
export interface PositionalParams<Params extends readonly unknown[]> extends ParamsSchema<Params> {
  read(args: readonly unknown[]): Params
}

/** What the schemas read, in their order. */
type Outputs<Items extends readonly z.ZodType[]> = {
  -readonly [Index in keyof Items]: z.output<Items[Index]>
}

/**
 * Positional parameters with a schema each; optional ones come last, and may be absent or `null`. More
 * parameters than schemas are refused.
 *
 * @example
 * params(address(), blockReference().optional()).read(['0x00000000000000000000000000000000000000Aa'])
 * // ['0x00000000000000000000000000000000000000aa', undefined]
 */
export function params<const Items extends readonly z.ZodType[]>(
  ...items: Items
): PositionalParams<Outputs<Items>> {
  // Asked once: a parameter may be left out when its schema has something to say about nothing.
  const optional = items.map((item) => item.safeParse(undefined).success)
  return {
    read(args) {
      if (args.length > items.length) throw new TooManyArgumentsError(items.length)
      const values = items.map((item, index) => {
        const value = args[index] === null && optional[index] ? undefined : args[index]
        const result = item.safeParse(value, FIRST_ISSUE_ONLY)
        if (result.success) return result.data
        if (value === undefined || value === null) {
          throw new InvalidParamsError(`missing value for required argument ${index}`)
        }
        const problem = describeIssue(result.error.issues)
        throw new InvalidParamsError(`invalid argument ${index}: ${problem}`)
      })
      // Each value was read by the schema in its place.
      return values as Outputs<Items>
    },
  }
}

/** More parameters than the method knows: code -32602. */
export class TooManyArgumentsError extends InvalidParamsError {
  override name = 'TooManyArgumentsError'
  constructor(most: number) {
    super(`too many arguments, want at most ${most}`)
  }
}
