import type { Reader } from '../primitives/reader.ts'

/** The check of a value, and its default. */
export type ValueCheck =
  | {
      readonly type: 'integer'
      readonly default: number | undefined
      readonly min: number
      /** Default: the largest safe integer. */
      readonly max?: number
    }
  /** An amount in wei, from 0 to `max`. */
  | { readonly type: 'wei'; readonly default: bigint; readonly max: bigint }
  | {
      readonly type: 'text'
      readonly default: string | undefined
      readonly pattern: RegExp
      /** The matches of `pattern`, in words. */
      readonly expected: string
      /** The value is never shown in a message. */
      readonly secret?: true
    }
  /** A list of strings, each of which matches `pattern`. */
  | {
      readonly type: 'list'
      readonly default: readonly string[] | undefined
      readonly pattern: RegExp
      readonly expected: string
      readonly secret?: true
      /** Separator of entries on the command line. Default: a comma */
      readonly separator?: string
    }
  /** A number, a negative one that counts back from `latest`, a hash, or one of the tags. */
  | { readonly type: 'block'; readonly default: string; readonly tags: readonly string[] }
  /** Path of a file, absolute or relative to the working directory; none by default. */
  | { readonly type: 'path'; readonly default?: undefined }
  /** Off by default. */
  | { readonly type: 'flag'; readonly default?: false }
  | {
      readonly type: 'choice'
      readonly default: string | number | undefined
      readonly choices: readonly (string | number)[]
    }
  /** Checked by its own reader. */
  | { readonly type: 'custom'; readonly default?: undefined; readonly read: Reader<unknown> }

/** Check and documentation of a value. */
export type ValueDefinition = ValueCheck & {
  /** One sentence: what the option does, its unit, and, for a limit, the reason for it. */
  readonly description: string
  /** Default as the documentation shows it, if not `default` itself. */
  readonly defaultText?: string
}

/** An option of `createDevnet` and of the command line. */
export type OptionDefinition = ValueDefinition & {
  /** A second spelling on the command line, in camelCase. */
  readonly alias?: string
  /** A flag of the command line that stands for a value, which `description` names, too. */
  readonly shorthand?: {
    /** In camelCase. */
    readonly flag: string
    /** As on the command line. */
    readonly value: string
    readonly description: string
  }
  /** Decided by the genesis file if there is one: giving both is an error. */
  readonly inGenesis?: true
  /** Only the Hardhat task `pending-node` reads it; `createDevnet` ignores it. */
  readonly taskOnly?: true
}
