import { params } from '../../json/params.ts'
import { fail, type Reader } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** The URL may hold secrets, so no message shows it. */
const url: Reader<string> = (value, context) => {
  if (typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)) return value
  return fail(context, 'want an http or https URL')
}

/** Reads the chain that this one stands on from another URL, which must have the same block. */
export default defineCommand({
  params: params(url),
  run: ({ fork }, [given]) => fork.setUrl(given),
  answer: () => null,
})
