import { accessSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'

const PATH = process.env.CHROMIUM ?? '/usr/bin/chromium'

function isInstalled(): boolean {
  try {
    accessSync(PATH)
    return true
  } catch {
    return false
  }
}

const isMissing = !isInstalled()
if (isMissing && process.env.CI !== 'true') {
  console.warn(
    `The browser tests are left out: there is no ${PATH}. Install it with "apt-get install chromium", or name another in CHROMIUM.`,
  )
}

/**
 * Tests in Debian's chromium, without a window. They are skipped where it is not installed; with CI=true they fail there.
 *
 * @param define - gets a function that opens a page in a profile of its own, with a window of 1,100
 * by 860 px unless it is given another
 */
export function describeInBrowser(name: string, define: (open: Open) => void): void {
  // A page may wait for ever for what never comes; ten minutes, as other long tests may take, would say too late.
  const options = { timeout: 60_000 }
  describe.skipIf(isMissing && process.env.CI !== 'true')(name, options, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser?.close())
    define(async (options) => {
      if (browser === undefined) throw new Error('The browser did not start')
      const context = await browser.newContext({
        viewport: { width: 1100, height: 860 },
        ...options,
      })
      context.setDefaultTimeout(15_000)
      return openIn(await context.newPage())
    })
  })
}

/** Opens a page in a profile of its own. */
export type Open = (options?: BrowserContextOptions) => Promise<OpenPage>

/** A page that notes what goes wrong in it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Errors that nobody caught, and what the browser refused by policy. */
  readonly problems: readonly string[]
}

/** @param page - of a context that is closed with it */
export function openIn(page: Page): OpenPage {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text())
  })
  return { page, problems, [Symbol.asyncDispose]: () => page.context().close() }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: PATH,
    // Nothing that a test does not ask for: no GPU, no update, no request of the browser's own.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
