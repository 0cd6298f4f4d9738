import { params } from '../json/params.ts'
import { objectOf, type Reader, type Shape } from '../primitives/reader.ts'
import type { Caller } from '../rpc/method.ts'
import type { DashboardApi } from './api.ts'
import type { Dashboard } from './dashboard.ts'

/** A method of the API: the default export of `methods/<name>.ts`. */
export type Query = (dashboard: Dashboard, params: unknown, caller: Caller) => Promise<unknown>

/**
 * Defines a method. Its parameters are one object, alone or in a list, without unknown fields.
 *
 * @param name - in {@link DashboardApi}, whose types the answer has
 * @param schema - of the object
 */
export function defineQuery<Name extends keyof DashboardApi, Params>(
  _name: Name,
  schema: Reader<Params>,
  answer: (
    dashboard: Dashboard,
    params: Params,
    caller: Caller,
  ) => DashboardApi[Name]['answer'] | Promise<DashboardApi[Name]['answer']>,
): Query {
  const list = params(schema)
  return async (dashboard, given = {}, caller) => {
    const [fields] = list.read(Array.isArray(given) ? given : [given])
    return answer(dashboard, fields, caller)
  }
}

/** An object with these fields and no others. */
export function fields<Fields extends Shape>(shape: Fields) {
  return objectOf({ fields: shape, isStrict: true })
}
