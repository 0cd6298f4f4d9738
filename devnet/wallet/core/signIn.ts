import type { RequestSummary } from '../types.ts'

/** A message that signs in to a site (EIP-4361). */
export interface SignIn extends Pick<RequestSummary, 'fields' | 'warnings'> {
  /** The site that the message names. */
  readonly domain: string
}

const FIRST_LINE =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\S{1,253}) wants you to sign in with your Ethereum account:\n/i
const LINES = ['URI', 'Chain ID', 'Nonce', 'Issued At', 'Not Before', 'Expiration Time'] as const
const MAX_LINE = 400

/**
 * Reads a message to sign; `undefined` if it does not sign in to a site.
 *
 * @param asker - `origin`: `null` for clients other than browsers; `now`: ms since the epoch
 */
export function readSignIn(
  text: string,
  asker: { readonly origin: string | null; readonly chainId: string; readonly now: number },
): SignIn | undefined {
  const domain = FIRST_LINE.exec(text)?.[1]
  if (domain === undefined) return undefined
  // The last of its name: a statement, which comes before, may look like it.
  const lines = text.split('\n').reverse()
  const valueOfLine = (label: string) =>
    lines.find((line) => line.startsWith(`${label}: `))?.slice(label.length + 2, MAX_LINE)
  const fields = LINES.map((label) => ({ label, value: valueOfLine(label) ?? '' }))
  const host = asker.origin === null ? domain : (URL.parse(asker.origin)?.host ?? asker.origin)
  const chainId = valueOfLine('Chain ID')
  const own = String(BigInt(asker.chainId))
  const warnings = [
    host.toLowerCase() !== domain.toLowerCase() &&
      `The message signs in to ${domain}, but ${host} asks for it.`,
    chainId !== own && `The message is for chain ${chainId}; the active one is ${own}.`,
    Date.parse(valueOfLine('Expiration Time') ?? '') <= asker.now && 'The message has expired.',
  ]
  return {
    domain,
    fields: [{ label: 'Site', value: domain }, ...fields.filter(({ value }) => value !== '')],
    warnings: warnings.filter((warning) => warning !== false),
  }
}
