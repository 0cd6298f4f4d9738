import * as z from 'zod'
import type { Context } from '../../json/schemas/reader.ts'
import type { WalletSettings } from '../../options/walletOptions.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isLoopback } from '../../server/access.ts'
import type { WalletChain } from '../types.ts'
import { chainId, list, must, nested, refuse } from './walletParams.ts'

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

/** A chain as `wallet_addEthereumChain` gives it (EIP-3085). */
export interface AddedChain extends WalletChain {
  /** Whether the request names the currency. */
  readonly hasCurrency: boolean
}

/** URLs in one list: each RPC URL is asked. */
const MOST_URLS = 20
const LONGEST_NAME = 100

/** The parameters of `wallet_addEthereumChain`, as strict as the profile says. */
export function addedChain(profile: WalletSettings['profile']): z.ZodType<[AddedChain]> {
  SCHEMAS[profile] ??= makeSchema(profile)
  return SCHEMAS[profile]
}

const SCHEMAS: Partial<Record<WalletSettings['profile'], z.ZodType<[AddedChain]>>> = {}

// Zod looks at the fields in their order here, so that the first problem is the one that a person would name first.
function makeSchema(profile: WalletSettings['profile']): z.ZodType<[AddedChain]> {
  const isMetaMask = profile === 'metamask'
  const isOptional = profile !== 'devnet'
  const name = z
    .string(must('a text'))
    .refine((text) => text.trim() !== '', { ...must('not empty'), params: { reason: 'length' } })
    .refine((text) => isMetaMask || text.length <= LONGEST_NAME, {
      ...must(`at most ${LONGEST_NAME} characters long`),
      params: { reason: 'length' },
    })
  const fields = {
    chainId: chainId(),
    chainName: profile === 'eip3085' ? name.nullish() : name,
    nativeCurrency: isOptional ? currency(profile).nullish() : currency(profile),
    rpcUrls: urls('rpcUrls', profile, 1),
    blockExplorerUrls: urls('blockExplorerUrls', profile, isMetaMask ? 1 : 0).nullish(),
    iconUrls: z
      .array(icon(profile !== 'eip3085'), must('a list of URLs'))
      .max(MOST_URLS, must(`a list of at most ${MOST_URLS} URLs`))
      .nullish(),
  }
  const what = 'an object that describes a chain'
  const shape = isMetaMask
    ? z.strictObject(fields, {
        error: (issue) => (issue.code === 'unrecognized_keys' ? 'without unknown fields' : what),
      })
    : z.object(fields, must(what))
  const chain = shape.transform(toChain)
  return list([chain], 'one object that describes a chain')
}

interface Fields {
  readonly chainId: Hex
  readonly chainName?: string | null | undefined
  readonly nativeCurrency?: WalletChain['nativeCurrency'] | null | undefined
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls?: readonly string[] | null | undefined
  readonly iconUrls?: readonly string[] | null | undefined
}

function toChain(fields: Fields): AddedChain {
  const currency = fields.nativeCurrency ?? undefined
  return {
    chainId: fields.chainId,
    chainName: (fields.chainName ?? `Chain ${BigInt(fields.chainId)}`).slice(0, LONGEST_NAME),
    nativeCurrency: currency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
    hasCurrency: currency !== undefined,
    rpcUrls: fields.rpcUrls,
    blockExplorerUrls: fields.blockExplorerUrls ?? [],
    iconUrls: fields.iconUrls ?? [],
  }
}

function currency(profile: WalletSettings['profile']): z.ZodType<WalletChain['nativeCurrency']> {
  const longest = profile === 'metamask' ? 6 : 11
  const symbol = z.string(must('a text')).transform((text, context) => {
    if (text.trim() !== '' && text.length <= longest) return text
    return refuse(context, 'length', `1 to ${longest} characters long`)
  })
  const decimals =
    profile === 'metamask'
      ? z.literal(18, must('the number 18'))
      : z.int(must('an integer')).min(0, must('at least 0')).max(255, must('at most 255'))
  return z.object(
    {
      name: z
        .string(must('a text'))
        .max(LONGEST_NAME, must(`at most ${LONGEST_NAME} characters long`)),
      symbol,
      decimals,
    },
    must('an object with name, symbol and decimals'),
  )
}

/** MetaMask takes a list for the good URLs in it; the EIP refuses it for a bad one. */
function urls(
  field: string,
  profile: WalletSettings['profile'],
  least: number,
): z.ZodType<readonly string[]> {
  const url = webUrl(profile !== 'eip3085')
  const few = `a list of ${least} to ${MOST_URLS} URLs`
  const given: z.ZodType<unknown[]> = z
    .array(z.unknown(), must('a list of URLs'))
    .min(least, must(few))
    .max(MOST_URLS, must(few))
  if (profile !== 'metamask') return given.pipe(z.array(url))
  return given.transform((entries, context: Context) => {
    const good = entries.flatMap((entry) => {
      const result = url.safeParse(entry)
      return result.success ? [result.data] : []
    })
    if (good.length > 0) return good
    return refuse(context, 'format', `a list with at least one https URL (${field})`)
  })
}
