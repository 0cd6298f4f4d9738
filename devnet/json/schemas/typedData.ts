import {
  anything,
  listOf,
  mapped,
  objectOf,
  optional,
  type Reader,
  recordOf,
  refuse,
  text,
} from '../../primitives/reader.ts'

/** Data of this type is the domain alone. */
export const DOMAIN = 'EIP712Domain'

/** Typed data as a client sends it (EIP-712). */
export interface TypedData {
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly primaryType: string
  readonly domain: Fields
  /** Absent if `primaryType` is {@link DOMAIN}. */
  readonly message?: Fields | undefined
}

export interface Field {
  readonly name: string
  readonly type: string
}

type Fields = Readonly<Record<string, unknown>>

/** Reads typed data as an object. @param types - what its types are, for error messages */
export function typedData(types?: string): Reader<TypedData> {
  const data = objectOf({
    fields: {
      types: recordOf(listOf(FIELD, 'a list of fields'), types),
      primaryType: text('the name of a type'),
      domain: recordOf(anything),
      message: optional(recordOf(anything)),
    },
    what: 'typed data',
  })
  return mapped(data, (read, context) =>
    // viem leaves the message of a domain out.
    read.message === undefined && read.primaryType !== DOMAIN
      ? refuse(context, undefined, 'an object', 'type', 'message')
      : read,
  )
}

const FIELD: Reader<Field> = objectOf({ fields: { name: text(), type: text() } })
