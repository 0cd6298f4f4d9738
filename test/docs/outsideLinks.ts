import { documents, isElsewhere, linksOf, read } from './documents.ts'

/** Hosts of examples, and of the machine that a reader sits at. */
const NOBODYS = /(?:^|\.)(?:example|localhost)$|^127\./

/** Answers by which a server refuses programs, and says nothing about the page. */
const REFUSALS = [401, 403, 405, 429, 503]

/** Addresses on other hosts, without anchors, each with the documents that link to it. */
export function outsideLinks(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const document of documents) {
    for (const link of linksOf(read(document)).filter(isElsewhere)) {
      const url = new URL(link, 'https://localhost')
      if (!url.protocol.startsWith('http') || NOBODYS.test(url.hostname)) continue
      url.hash = ''
      found.set(url.href, [...new Set([...(found.get(url.href) ?? []), document])])
    }
  }
  return found
}

/**
 * Reason why an address leads nowhere; `undefined` if it does not, or if its server refuses
 * programs.
 *
 * @param timeout - ms for the answer. Default: 20,000
 */
export async function problemOf(address: string, timeout = 20_000): Promise<string | undefined> {
  try {
    const { ok, status, body } = await fetch(address, { signal: AbortSignal.timeout(timeout) })
    await body?.cancel()
    return ok || REFUSALS.includes(status) ? undefined : `status ${status}`
  } catch (error) {
    const { cause } = error instanceof Error ? error : {}
    return String(cause ?? error)
  }
}
