export type Method = (...args: unknown[]) => unknown

/**
 * Replaces a method of an object, if it has it.
 *
 * @param around - gets the method, bound to the object, and the arguments of a call
 */
export function wrapMethod(
  target: object,
  name: string,
  around: (method: Method, args: unknown[]) => unknown,
): void {
  replaceMethod(target, name, (method) => {
    const bound: Method = (...args) => Reflect.apply(method, target, args)
    return (...args: unknown[]) => around(bound, args)
  })
}

/** As {@link wrapMethod}, for all instances of a prototype: `around` gets the one called. */
export function wrapInherited<Instance>(
  prototype: object,
  name: string,
  around: (instance: Instance, method: Method, args: unknown[]) => unknown,
): void {
  replaceMethod(
    prototype,
    name,
    (method) =>
      function (this: Instance, ...args: unknown[]) {
        return around(this, (...given) => Reflect.apply(method, this, given), args)
      },
  )
}

function replaceMethod(target: object, name: string, wrapped: (method: Method) => unknown): void {
  const method: unknown = Reflect.get(target, name)
  if (!isMethod(method)) return
  // A method that the object inherits stays out of sight, for deep comparisons and spreads.
  const { enumerable = false } = Object.getOwnPropertyDescriptor(target, name) ?? {}
  const value = wrapped(method)
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true })
}

export function isMethod(value: unknown): value is Method {
  return typeof value === 'function'
}
