import { describe, expect, test } from 'vitest'
import { pageParts, readPart } from '../../support/pageParts.ts'
import { startDashboard } from '../dashboard/support.ts'
import { exchange, head } from './support.ts'

describe.each(['dashboard', 'wallet'] as const)('the page of %s', (room) => {
  const { all } = pageParts(room)

  test('is kept by nothing, and names its scripts and styles by their hashes', async () => {
    const { devnet } = await startDashboard()
    const response = await fetch(`${devnet.url}/${room}/`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const html = await response.text()
    const named = [...html.matchAll(/(?:href|src)="\/([^"]+)"/g)].map(([, path]) => path)
    expect(named.length).toBeGreaterThanOrEqual(2)
    for (const path of named) expect(path).toMatch(/^[a-z]+\/[a-z]+-[A-Z0-9]{8}\.(?:js|css)$/)
    for (const path of named) expect(all.map((name) => `${room}/${name}`)).toContain(path)
  })

  test('has scripts and styles that browsers may keep, packed for those that take it', async () => {
    const { devnet } = await startDashboard()
    const port = Number(new URL(devnet.url).port)
    for (const name of all) {
      const plain = readPart(room, name)
      const ask = (encoding: string) =>
        fetch(`${devnet.url}/${room}/${name}`, { headers: { 'Accept-Encoding': encoding } })
      for (const encoding of ['gzip, deflate, br', 'identity', 'br', 'gzip;q=0']) {
        const response = await ask(encoding)
        const isPacked = encoding.startsWith('gzip,')
        expect([name, encoding, response.status]).toEqual([name, encoding, 200])
        expect(response.headers.get('content-encoding')).toBe(isPacked ? 'gzip' : null)
        expect(response.headers.get('vary')).toBe('Accept-Encoding')
        expect(response.headers.get('cache-control')).toBe('max-age=31536000, immutable')
        expect(response.headers.get('content-type')).toMatch(/^text\/(?:css|javascript); charset/)
        expect(await response.text()).toBe(plain)
        const length = Number(response.headers.get('content-length'))
        if (isPacked) expect(length).toBeLessThan(plain.length)
        else expect(length).toBe(Buffer.byteLength(plain))
      }
      const asked = head(`HEAD /${room}/${name}`, {
        Host: `127.0.0.1:${port}`,
        Connection: 'close',
      })
      expect(await exchange(port, asked)).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/s)
    }
  })

  test('has nothing under the names of another version', async () => {
    const { devnet } = await startDashboard()
    for (const name of ['page-AAAAAAAA.js', 'page-AAAAAAAA.css', 'page.js', 'page.css']) {
      const response = await fetch(`${devnet.url}/${room}/${name}`)
      expect([name, response.status]).toEqual([name, 404])
      expect(await response.text()).toMatch(/^Nothing here/)
    }
    const outside = await fetch(`${devnet.url}/${room}/..%2fpage-AAAAAAAA.js`)
    expect(outside.status).toBe(404)
  })

  test('is loaded by no page of another site', async () => {
    const { devnet } = await startDashboard()
    for (const path of ['', ...all]) {
      for (const site of ['cross-site', 'same-site']) {
        for (const dest of ['iframe', 'script', 'style', 'empty']) {
          const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': dest }
          const response = await fetch(`${devnet.url}/${room}/${path}`, { headers })
          expect([path, site, dest, response.status]).toEqual([path, site, dest, 403])
        }
      }
    }
  })
})
