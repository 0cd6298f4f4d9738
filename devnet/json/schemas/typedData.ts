import {
  anything,
  listOf,
  mapped,
  type Output,
  objectOf,
  optional,
  recordOf,
  refuse,
  text,
} from '../../primitives/reader.ts'

/** Data of this type is the domain alone. */
export const DOMAIN = 'EIP712Domain'

/** Typed data as a client sends it (EIP-712). */
export type TypedData = Output<ReturnType<typeof typedData>>

export type Field = Output<typeof FIELD>

/** Reads typed data as an object. @param types - what its types are, for error messages */
export function typedData(types?: string) {
  const data = objectOf({
    fields: {
      types: recordOf<readonly Field[]>(listOf(FIELD, 'a list of fields'), types),
      primaryType: text('the name of a type'),
      domain: recordOf(anything),
      /** Absent if `primaryType` is {@link DOMAIN}. */
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

const FIELD = objectOf({ fields: { name: text(), type: text() } })
