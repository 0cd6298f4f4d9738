import type { FaultRule } from '../faults/types.ts'
import type { ParamsSchema } from '../json/params.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { RpcMethod } from './method.ts'
import { methodTable } from './methodTable.ts'

type AnswerRule = Extract<FaultRule, { readonly method: unknown }>

/**
 * Checks that the methods of a rule exist, and that requests of one of them can have what the rule
 * names: it would never fire otherwise.
 *
 * @param place - of the rule, for the error
 * @throws {InvalidParamsError} that names the field
 */
export async function checkAnswerRule(rule: AnswerRule, place: string): Promise<void> {
  const names = [rule.method].flat()
  const methods: RpcMethod<never>[] = []
  for (const name of names) {
    const load = Object.hasOwn(methodTable, name) ? methodTable[name] : undefined
    if (load === undefined) {
      throw new InvalidParamsError(
        `${place}.method: the method ${JSON.stringify(name)} does not exist`,
      )
    }
    methods.push((await load()).default)
  }
  if (methods.some(({ takesSigned }) => takesSigned)) return
  const { from, address, hash } = rule
  const reject = (field: 'from' | 'address' | 'hash', what: string) => {
    throw new InvalidParamsError(
      `${place}.${field}: no request of ${names.join(', ')} names ${what}`,
    )
  }
  if (from !== undefined && !methods.some(hasSender)) reject('from', 'a sender')
  if (address !== undefined && !methods.some((one) => canHold(one, address))) {
    reject('address', 'an address')
  }
  if (hash !== undefined && !methods.some((one) => canHold(one, hash))) reject('hash', 'a hash')
}

/** True if the first parameter is an object whose `from` is looked at. */
function hasSender({ params }: RpcMethod<never>): boolean {
  return params !== undefined && lookedAt(params, 0, {}).includes('from')
}

/** True if a parameter may be this text, or may hold it somewhere. */
function canHold({ params }: RpcMethod<never>, text: string): boolean {
  if (params === undefined) return false
  const places = params.readers.map((_, index) => index)
  return places.some(
    (index) =>
      accepts(params, index, text) ||
      // If the parameter can be an object or a list, the text may be anywhere in it.
      [{}, []].some((empty) => lookedAt(params, index, empty).length > 0),
  )
}

type ReadOne = Pick<ParamsSchema<never>, 'readOne'>

/** True if a parameter may have this value, according to its schema. */
function accepts(params: ReadOne, index: number, value: unknown): boolean {
  const list: unknown[] = []
  list[index] = value
  try {
    params.readOne(list, index)
    return true
  } catch (error) {
    if (error instanceof InvalidParamsError) return false
    throw error
  }
}

/**
 * The keys of an object or a list that the schema of a parameter looks at, until it takes or
 * refuses it; `''` stands for all. A schema of something else looks at none.
 */
function lookedAt(params: ReadOne, index: number, empty: object): PropertyKey[] {
  const keys: PropertyKey[] = []
  const watched = new Proxy(empty, {
    get(target, key) {
      keys.push(key)
      return Reflect.get(target, key)
    },
    ownKeys(target) {
      keys.push('')
      return Reflect.ownKeys(target)
    },
  })
  accepts(params, index, watched)
  return keys
}
