import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/index.ts'
import { pageParts } from '../support/pageParts.ts'
import { describeInBrowser, launchWithExtension, REBOUND } from './browser/chromium.ts'

const PATHS = ['/', '/txs', ...pageParts('dashboard').all.map((name) => `/${name}`), '/api']

/** A node with a transaction to read and clocks to move, and a page on another port of this machine. */
async function startScene() {
  const node = createDevnet({ port: 0, frozen: true, allowOrigin: ['*'] })
  await node.start()
  const [from, to] = node.accounts.map(({ address }) => address)
  const method = 'eth_sendTransaction'
  const hash = String(await node.provider.request({ method, params: [{ from, to }] }))
  const site = createServer(({ url = '/' }, response) => {
    const [type, body] = FILES[url] ?? [
      'text/html',
      '<!doctype html><title>dApp</title><body></body>',
    ]
    // Whoever asks may have it: only the policy of the page keeps it out.
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' })
    response.end(body)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  // It listens at a port, so that this is no path.
  const { port } = site.address() as AddressInfo
  const { pageUrl } = node.dashboard
  return {
    node,
    hash,
    url: `${node.url}/dashboard`,
    token: new URL(pageUrl).hash.replace('#token=', ''),
    /** Names of this machine are origins of their own. */
    sites: [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`],
    async [Symbol.asyncDispose]() {
      site.closeAllConnections()
      site.close()
      await once(site, 'close')
      await node.stop()
    },
  }
}

/** What the site has besides its page. */
const FILES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/x.css': ['text/css', 'body { color: red }'],
  '/x.js': ['text/javascript', '0'],
  '/x.gif': [
    'image/gif',
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  ],
}

async function latest(node: Devnet): Promise<number> {
  return (await node.clock.status()).latest.number
}

/** Runs in a foreign page: tries all ways to send a command; says of each what the page learned. */
const COMMANDS = `async (api, token) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'command', params: { name: 'seal' } })
  const json = { 'content-type': 'application/json' }
  const withToken = { ...json, authorization: 'Bearer ' + token }
  const tried = (init) => fetch(api, { method: 'POST', body, ...init })
    .then((response) => response.type === 'opaque' ? 'opaque' : 'read', () => 'refused')
  const socket = (first) => new Promise((resolve) => {
    const opened = new WebSocket(api.replace('http', 'ws'))
    opened.onopen = () => { opened.send(first); opened.send(body) }
    opened.onmessage = () => resolve('read')
    opened.onclose = () => resolve('refused')
  })
  const loaded = (tag, attribute) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), {
      onload: () => resolve('read'), onerror: () => resolve('refused'),
    })
    element[attribute] = api + '?method=command&name=seal&token=' + token
    document.body.append(element)
  })
  const form = document.createElement('form')
  Object.assign(form, { method: 'POST', action: api, enctype: 'text/plain', target: 'nowhere' })
  const field = Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' })
  const frame = Object.assign(document.createElement('iframe'), { name: 'nowhere' })
  form.append(field)
  document.body.append(frame, form)
  const posted = new Promise((resolve) => { frame.onload = resolve })
  form.submit()
  await posted
  return {
    fetch: await tried({ headers: json }),
    fetchWithToken: await tried({ headers: withToken }),
    credentials: await tried({ headers: withToken, credentials: 'include' }),
    noCors: await tried({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
    beacon: navigator.sendBeacon(api, body) ? 'sent' : 'refused',
    socket: await socket('{}'),
    socketWithToken: await socket(JSON.stringify({ token })),
    image: await loaded('img', 'src'),
    script: await loaded('script', 'src'),
  }
}`

/** Runs in a page: sends a command with the token, and opens a WebSocket. */
function knock(url: string, token: string): string {
  return `(async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ${token}' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'command', params: { name: 'seal' } })
    const asked = await fetch('${url}/api', { method: 'POST', headers, body })
      .then(({ status }) => status, () => 'refused')
    const socket = await new Promise((resolve) => {
      const opened = new WebSocket('${url.replace('http', 'ws')}/api')
      opened.onopen = () => resolve('open')
      opened.onerror = () => resolve('refused')
    })
    return [asked, socket]
  })()`
}

describeInBrowser('dashboard, attacked by other pages', (open) => {
  test('no page of another origin reads anything, nor sends a command', async () => {
    await using scene = await startScene()
    for (const site of scene.sites) {
      await using foreign = await open()
      const { page } = foreign
      await page.goto(site)
      const tries = await page.evaluate(`(${COMMANDS})('${scene.url}/api', '${scene.token}')`)
      // What needs no answer can always be sent; it must do nothing.
      expect(tries).toEqual({
        fetch: 'refused',
        fetchWithToken: 'refused',
        credentials: 'refused',
        noCors: 'opaque',
        beacon: 'sent',
        socket: 'refused',
        socketWithToken: 'refused',
        image: 'refused',
        script: 'refused',
      })
      const read = await page.evaluate(`(async () => {
        const answers = []
        for (const path of ${JSON.stringify(PATHS)}) {
          for (const mode of ['cors', 'no-cors']) {
            const answer = await fetch('${scene.url}' + path, { mode }).catch(() => undefined)
            if (answer !== undefined && answer.type !== 'opaque') answers.push(await answer.text())
          }
        }
        return answers
      })()`)
      expect(read).toEqual([])
    }
    expect(await latest(scene.node)).toBe(0)
  })

  test('a page without an origin gets no further', async () => {
    await using scene = await startScene()
    await using foreign = await open()
    const { page } = foreign
    await page.goto(scene.sites[0] ?? '')
    const told = await page.evaluate(`new Promise((resolve) => {
      addEventListener('message', ({ data }) => resolve(data))
      const frame = document.createElement('iframe')
      frame.sandbox = 'allow-scripts'
      frame.srcdoc = \`<script>
        ${knock(scene.url, scene.token)}.then((told) => parent.postMessage(told, '*'))
      <\\/script>\`
      document.body.append(frame)
    })`)
    expect(told).toEqual(['refused', 'refused'])
    expect(await latest(scene.node)).toBe(0)
  })

  test('under a rebound name it is not there', async () => {
    await using scene = await startScene()
    await using foreign = await open()
    const { page } = foreign
    const { port } = new URL(scene.node.url)
    for (const path of PATHS) {
      const response = await page.goto(`http://${REBOUND}:${port}/dashboard${path}`)
      expect([path, response?.status()]).toEqual([path, 403])
    }
    // The page of the refusal is of the rebound origin: what it asks for has the node's own.
    const tries = await page.evaluate(knock(`http://${REBOUND}:${port}/dashboard`, scene.token))
    expect(tries).toEqual([403, 'refused'])
    expect(await latest(scene.node)).toBe(0)
  })

  test('an extension that may talk to all sites gets no further', async () => {
    await using scene = await startScene()
    await using extension = await launchWithExtension()
    const { page } = extension
    const tries = await page.evaluate(knock(scene.url, scene.token))
    expect(tries).toEqual([403, 'refused'])
    expect(await latest(scene.node)).toBe(0)
  })

  test('it stands in no frame or object, and leaves no handle to who opens it', async () => {
    await using scene = await startScene()
    await using foreign = await open()
    const { page } = foreign
    await page.goto(scene.sites[0] ?? '')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    for (const [tag, attribute] of [
      ['iframe', 'src'],
      ['object', 'data'],
    ]) {
      await page.evaluate(`new Promise((resolve) => {
        const element = document.createElement('${tag}')
        Object.assign(element, { onload: resolve, onerror: resolve, ${attribute}: '${scene.url}/' })
        document.body.replaceChildren(element)
      })`)
    }
    // A page that is shown loads its script before it counts as loaded.
    expect(asked).toEqual(['/dashboard/', '/dashboard/'])
    const popup = page.waitForEvent('popup')
    await page.evaluate(`window.opened = window.open('${scene.node.dashboard.pageUrl}')`)
    await (await popup).waitForLoadState('load')
    // The browser tells the opener a moment after the page is there.
    await expect.poll(() => page.evaluate('opened.closed'), { timeout: 10_000 }).toBe(true)
  })

  test('a link shows a view, and that is all', async () => {
    await using scene = await startScene()
    await using foreign = await open()
    const { page } = foreign
    await page.goto(scene.sites[0] ?? '')
    const command = 'method=command&name=seal&command=seal&seal=1'
    for (const path of [
      `/tx/${scene.hash}`,
      `/txs?${command}`,
      `/?${command}#token=${scene.token}&${command}`,
      `/api?${command}`,
    ]) {
      await page.evaluate(`location.href = '${scene.url}${path}'`)
      await page.waitForURL((url) => url.href.startsWith(scene.url))
      await page.waitForLoadState('networkidle')
      await page.goto(scene.sites[0] ?? '')
    }
    expect(await latest(scene.node)).toBe(0)
  })

  test('the page takes nothing from elsewhere, and no text becomes markup', async () => {
    await using scene = await startScene()
    await using opened = await open()
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    await page.goto(scene.node.dashboard.pageUrl)
    await page.waitForLoadState('load')
    expect(asked.filter((origin) => origin !== scene.node.url && origin !== 'null')).toEqual([])
    const tries = await page.evaluate(`(async () => {
      const loaded = (tag, fields) => new Promise((resolve) => {
        const element = document.createElement(tag)
        element.onload = () => resolve('loaded')
        element.onerror = () => resolve('refused')
        try { Object.assign(element, fields) } catch { resolve('refused') }
        document.head.append(element)
      })
      const thrown = (run) => { try { run(); return 'done' } catch { return 'refused' } }
      return {
        image: await loaded('img', { src: '${scene.sites[0]}x.gif' }),
        style: await loaded('link', { rel: 'stylesheet', href: '${scene.sites[0]}x.css' }),
        script: await loaded('script', { src: '${scene.sites[0]}x.js' }),
        fetch: await fetch('${scene.sites[0]}').then(() => 'done', () => 'refused'),
        markup: thrown(() => { document.body.insertAdjacentHTML('beforeend', '<b>x</b>') }),
        code: thrown(() => setTimeout('1')),
        policy: thrown(() => trustedTypes.createPolicy('x', { createHTML: (text) => text })),
      }
    })()`)
    expect(tries).toEqual({
      image: 'refused',
      style: 'refused',
      script: 'refused',
      fetch: 'refused',
      markup: 'refused',
      code: 'refused',
      policy: 'refused',
    })
  })
})
