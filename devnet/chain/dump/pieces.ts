/** Text of a dump, piece by piece; `undefined` is a place to pause without any. */
export type Pieces<Result = void> = Generator<string | undefined, Result>
