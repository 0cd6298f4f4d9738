import { params } from '../json/params.ts'
import {
  type OptionalReader,
  type Output,
  objectOf,
  type Reader,
  type Shape,
} from '../primitives/reader.ts'
import type { Caller } from '../rpc/method.ts'
import type { Dashboard } from './dashboard.ts'

/** A method of the API: the default export of `methods/<name>.ts`. */
export interface Query<Given, Answer> {
  (dashboard: Dashboard, params: unknown, caller: Caller): Promise<Answer>
  /** Never set: the type of the parameters as a page gives them. */
  readonly given?: Given
}

/**
 * Defines a method. Its parameters are one object, alone or in a list, without unknown fields.
 * Pages take the types of parameters and answers from here.
 *
 * @param schema - of the object
 */
export function defineQuery<Params, Answer, Given = Params>(
  schema: Reader<Params> & { readonly given?: Given },
  answer: (dashboard: Dashboard, params: Params, caller: Caller) => Answer | Promise<Answer>,
): Query<Given, Answer> {
  const list = params(schema)
  return async (dashboard, given = {}, caller) => {
    const [fields] = list.read(Array.isArray(given) ? given : [given])
    return answer(dashboard, fields, caller)
  }
}

/** The fields of an object before they are read, of which optional ones may be absent. */
type Given<Fields extends Shape, Optional = OptionalReader<unknown>> = {
  readonly [Name in keyof Fields as Fields[Name] extends Optional ? never : Name]: Output<
    Fields[Name]
  >
} & {
  readonly [Name in keyof Fields as Fields[Name] extends Optional ? Name : never]?:
    | Output<Fields[Name]>
    | undefined
}

/** An object with these fields and no others. */
export function fields<Fields extends Shape>(shape: Fields) {
  const read: ReturnType<typeof objectOf<Fields>> & { readonly given?: Given<Fields> } = objectOf({
    fields: shape,
    isStrict: true,
  })
  return read
}
