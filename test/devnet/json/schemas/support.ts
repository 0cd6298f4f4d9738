import { params } from '../../../../devnet/json/params.ts'
import type { Reader } from '../../../../devnet/primitives/reader.ts'

/** What a reader reads, or the message with which a method with this one parameter would refuse it. */
export function read(reader: Reader<unknown>, value: unknown): unknown {
  try {
    return params(reader).read([value])[0]
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}
