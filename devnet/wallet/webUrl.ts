import * as z from 'zod'
import { isLoopback } from '../server/hostNames.ts'
import { must, nested, refuse } from './params.ts'

const LONGEST_URL = 2048
/** Icons may be given as they are, and are not looked at. */
const LONGEST_ICON = 64 * 1024
const INLINE_IMAGE = /^data:image\/[a-z0-9.+-]+[;,]/i

/** An https URL, or where `allowsLocal` an http URL of this machine, as it came. */
export function webUrl(allowsLocal: boolean): z.ZodType<string> {
  return z.string(must('a text')).transform((text, context) => {
    if (text.length > LONGEST_URL) {
      return refuse(context, 'length', `at most ${LONGEST_URL} characters long`)
    }
    if (!URL.canParse(text)) return refuse(context, 'format', 'a URL')
    const { protocol, hostname, username, password } = new URL(text)
    if (username !== '' || password !== '') {
      return refuse(context, 'format', 'a URL without user name and password')
    }
    if (protocol === 'https:') return text
    if (protocol === 'http:' && allowsLocal && isLoopback(hostname)) return text
    const local = allowsLocal ? ', or an http URL of this machine' : ''
    return refuse(context, 'scheme', `an https URL${local}`)
  })
}

/** The same, or an image in a data URL. */
export function icon(allowsLocal: boolean): z.ZodType<string> {
  const url = webUrl(allowsLocal)
  return z.string(must('a text')).transform((text, context) => {
    if (!INLINE_IMAGE.test(text)) return nested(url, text, context)
    if (text.length <= LONGEST_ICON) return text
    return refuse(context, 'length', `at most ${LONGEST_ICON} characters long`)
  })
}
