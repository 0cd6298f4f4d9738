/** Error of EIP-1193: a real `Error` with a numeric code. */
export class ProviderRpcError extends Error {
  override name = 'ProviderRpcError'
  readonly code: number
  declare readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    // Not even set to `undefined`, since some libraries test for the field with `in`.
    if (data !== undefined) this.data = data
  }
}

/** Converts the error in a JSON-RPC answer or a pushed event. */
export function toProviderError(value: unknown): ProviderRpcError {
  const { code, message, data } = toRecord(value)
  return new ProviderRpcError(
    typeof code === 'number' ? code : -32603,
    typeof message === 'string' ? message : 'The wallet failed without saying why.',
    data,
  )
}

/** The value if it is an object, else an empty object. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Every object can be indexed by names; the values stay unknown.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
