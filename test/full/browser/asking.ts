import type { Page } from 'playwright-core'

/** What a page gets from its provider. */
export type Outcome =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly isError: boolean }
    }

/** Has a page ask its provider, as its own scripts would; the call goes on while the test does other things. */
export function ask(page: Page, method: string, params: unknown = []): Promise<Outcome> {
  const call = JSON.stringify({ method, params })
  const outcome: Promise<Outcome> = page.evaluate(
    `ethereum.request(${call}).then(
      (result) => ({ result }),
      (error) => ({ error: { code: error.code, message: error.message, isError: error instanceof Error } }),
    )`,
  )
  // A test that fails before it looks at the outcome closes the page, which is no second failure.
  outcome.catch(() => undefined)
  return outcome
}

/** Has a page note the events of its provider; `read` answers them so far, as `[name, value]`. */
export async function noteEvents(page: Page): Promise<() => Promise<[string, unknown][]>> {
  await page.evaluate(
    `window.noted = []
    for (const name of ['connect', 'disconnect', 'chainChanged', 'accountsChanged']) {
      ethereum.on(name, (value) => noted.push([name, value]))
    }`,
  )
  return () => page.evaluate('noted')
}

/** A request to add a network; what it says may be anything. */
export function networkOf(chainId: number, chainName: string, rpcUrl: string): [object] {
  return [
    {
      chainId: `0x${chainId.toString(16)}`,
      chainName,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: [rpcUrl],
    },
  ]
}
