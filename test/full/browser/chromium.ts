import { accessSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'

const PATH = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** A name of somebody else's that leads to this machine, as after DNS rebinding. */
export const REBOUND = 'rebound.example'

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
  const options = { timeout: 180_000 }
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

/** Nothing that a test does not ask for: no GPU, no update, no request of the browser's own. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`,
]

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: ARGUMENTS })
}

/** A page of an extension that its user has let talk to every site, in a browser of its own. */
export async function launchWithExtension(): Promise<AsyncDisposable & { readonly page: Page }> {
  const folder = await mkdtemp(join(tmpdir(), 'pending-node-extension-'))
  const manifest = {
    manifest_version: 3,
    name: 'Foreign',
    version: '1.0',
    host_permissions: ['<all_urls>'],
    background: { service_worker: 'worker.js' },
  }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'worker.js'), '')
  await writeFile(join(folder, 'page.html'), '<!doctype html><title>Foreign</title>')
  const context = await chromium.launchPersistentContext('', {
    executablePath: PATH,
    args: [...ARGUMENTS, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  })
  const [worker = await context.waitForEvent('serviceworker')] = context.serviceWorkers()
  const page = await context.newPage()
  await page.goto(new URL('/page.html', worker.url()).href)
  return {
    page,
    async [Symbol.asyncDispose]() {
      await context.close()
      await rm(folder, { recursive: true })
    },
  }
}
