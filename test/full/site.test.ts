import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { pageOf, pages } from '../../.ci/site/.vitepress/pages.ts'
import { read, root } from '../docs/documents.ts'
import { describeInBrowser } from './browser/chromium.ts'

const folder = fileURLToPath(new URL('.ci/site/.vitepress/dist/', root))
const { repository }: { repository: { url: string } } = JSON.parse(read('package.json'))
const source = repository.url.replace(/^git\+|\.git$/g, '')
const base = `/${source.split('/').at(-1)}/`

let printed = ''

beforeAll(() => {
  // From a lock file of its own; its own dead links end the build with an error.
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'site'], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  printed = stdout + stderr
  expect(status, printed).toBe(0)
})

/** The file that shows an address of the site, as Pages finds it. */
function fileOf(path: string): string {
  const name = path.slice(base.length)
  if (extname(name) !== '' && existsSync(join(folder, name))) return join(folder, name)
  return join(folder, name === '' ? 'index.html' : `${name}.html`)
}

const htmlOf = (page: string) => readFileSync(join(folder, `${page}.html`), 'utf8')

function targetsOf(html: string): string[] {
  return [...html.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]+)"/g)].map(
    ([, target = '']) => target.replaceAll('&amp;', '&'),
  )
}

test('the build has nothing to complain of', () => {
  expect(printed).not.toMatch(/dead link|warn/i)
})

test('its configuration has sound types', () => {
  // It needs the packages of the site, which the other checks of types do not have.
  const flags =
    '--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --module nodenext --target es2023 --allowImportingTsExtensions --skipLibCheck --types node'
  const { stdout, status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/lib/tsc.js', ...flags.split(' '), '.ci/site/.vitepress/config.ts'],
    { cwd: fileURLToPath(root), encoding: 'utf8' },
  )
  expect([stdout, status]).toEqual(['', 0])
})

test('each document is a page, and nothing else is', () => {
  const built = globSync('**/*.html', { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
  expect(built.sort()).toEqual([...pageOf.values(), '404'].map((page) => `${page}.html`).sort())
})

describe.each([...pageOf])('%s', (document, page) => {
  test('has its title, and a sidebar that leads to every page', () => {
    const html = htmlOf(page)
    const [, title = ''] = /^# (.*)$/m.exec(read(document)) ?? []
    const [, shown = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(html) ?? []
    const words = shown.replace(/<a .*?<\/a>|<[^>]*>/gs, '').replaceAll('&#39;', "'")
    expect(words.trim()).toBe(title.replaceAll('`', ''))
    const links = new Set(targetsOf(html).map((target) => target.replace(/#.*/, '')))
    const lost = Object.values(pages)
      .flat()
      .filter(({ page: to }) => to !== undefined && !links.has(base + to.replace(/^index$/, '')))
    expect(lost).toEqual([])
  })

  test('has no dead link', () => {
    const lost = targetsOf(htmlOf(page)).filter((target) => {
      if (target.startsWith(`${source}/`)) {
        const [, path = ''] = /\/(?:blob|tree)\/main\/([^#]*)/.exec(target) ?? []
        return !existsSync(new URL(path, root))
      }
      if (/^(?:[a-z]+:|\/\/)/.test(target)) return false
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? fileOf(base + page) : fileOf(path)
      if (!target.startsWith(base) && path !== '') return true
      if (!existsSync(file) || !statSync(file).isFile()) return true
      return (
        anchor !== undefined &&
        !readFileSync(file, 'utf8').includes(` id="${decodeURIComponent(anchor)}"`)
      )
    })
    expect(lost).toEqual([])
  })
})

test('links to what is no page lead to the repository', () => {
  const links = targetsOf(htmlOf('guide/examples'))
  expect(links).toContain(`${source}/tree/main/examples/viem-vitest`)
  expect(links).toContain(`${source}/blob/main/examples/prool.ts`)
})

/** The site as Pages serves it. */
async function serve(): Promise<AsyncDisposable & { readonly url: string }> {
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
  }
  const server = createServer(({ url = '' }, response) => {
    const file = fileOf(new URL(url, 'http://localhost').pathname)
    const isThere = existsSync(file)
    response.writeHead(isThere ? 200 : 404, {
      'content-type': types[extname(file)] ?? 'font/woff2',
    })
    response.end(isThere ? readFileSync(file) : undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}${base}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describeInBrowser('in a browser', (open) => {
  test.each(['light', 'dark'] as const)('%s', async (colorScheme) => {
    await using site = await serve()
    await using opened = await open({ colorScheme, viewport: { width: 1280, height: 860 } })
    const { page, problems } = opened
    const missing: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) missing.push(response.url())
    })
    await page.goto(site.url)
    await page.getByRole('heading', { level: 1, name: 'hardhat-pending-node' }).waitFor()
    const brightnessOf = async (property: string) =>
      Number(/\d+/.exec(await page.evaluate(`getComputedStyle(document.body).${property}`))?.[0])
    const [background, text] = [await brightnessOf('backgroundColor'), await brightnessOf('color')]
    expect(background > text).toBe(colorScheme === 'light')
    const picture = page.getByRole('img', { name: 'The two clocks' })
    await picture.scrollIntoViewIfNeeded()
    expect((await picture.boundingBox())?.height).toBeGreaterThan(100)
    await page.screenshot({
      path: fileURLToPath(new URL(`test/full/pictures/site-${colorScheme}.png`, root)),
    })

    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('newFlashblocks')
    const results = page.getByRole('option')
    await expect.poll(() => results.count()).toBeGreaterThan(0)
    await results.filter({ hasText: 'Subscriptions and streams' }).first().click()
    await page.waitForURL('**/guide/indexers*')
    await page.getByRole('heading', { level: 1, name: 'Subscriptions and streams' }).waitFor()

    await page.getByRole('link', { name: 'In CI', exact: true }).click()
    await page.waitForURL('**/guide/contracts#in-ci')
    expect([problems, missing]).toEqual([[], []])
  })
})
