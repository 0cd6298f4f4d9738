import { accessSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
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
 * @param define - gets a function that opens a page in a profile of its own
 */
export function describeInBrowser(
  name: string,
  define: (open: () => Promise<OpenPage>) => void,
): void {
  // A page may wait for ever for what never comes; ten minutes, as other long tests may take, would say too late.
  const options = { timeout: 60_000 }
  describe.skipIf(isMissing && process.env.CI !== 'true')(name, options, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser?.close())
    define(async () => {
      if (browser === undefined) throw new Error('The browser did not start')
      const context = await browser.newContext({ viewport: { width: 1100, height: 860 } })
      context.setDefaultTimeout(15_000)
      return openIn(await context.newPage())
    })
  })
}

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

function launch(): Promise<Browser> {
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
