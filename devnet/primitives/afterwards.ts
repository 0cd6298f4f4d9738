/**
 * Calls `next` with a value or with what its promise resolves to. Makes no promise for a plain
 * value, because that would cost a short execution more than the step itself.
 */
export function afterwards<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
