/** An error as EIP-1193 wants it: a real `Error` with a numeric code. */
export class ProviderRpcError extends Error {
  override name = 'ProviderRpcError'
  readonly code: number
  declare readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    // No field where there is none: some libraries test with `in`.
    if (data !== undefined) this.data = data
  }
}

/** The error of a JSON-RPC answer or of a pushed event. */
export function toProviderError(value: unknown): ProviderRpcError {
  const { code, message, data } = toRecord(value)
  return new ProviderRpcError(
    typeof code === 'number' ? code : -32603,
    typeof message === 'string' ? message : 'The wallet failed without saying why.',
    data,
  )
}

/** The fields of an object, and none of anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Every object can be read by names; what it has there is unknown still.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
