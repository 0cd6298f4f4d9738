import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outsideLinks, problemOf } from './outsideLinks.ts'

/** Answers each path `/<status>` with that status, and `/never` not at all. */
const server = createServer(({ url }, response) => {
  if (url !== '/never') response.writeHead(Number(url?.slice(1))).end('page')
})
let origin = ''

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address === 'object') origin = `http://127.0.0.1:${address?.port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each(['200', '403', '429'])('an answer %s is no problem', async (status) => {
  expect(await problemOf(`${origin}/${status}`)).toBeUndefined()
})

test.each(['404', '410', '500'])('an answer %s is one', async (status) => {
  expect(await problemOf(`${origin}/${status}`)).toBe(`status ${status}`)
})

test('no answer, and no server', async () => {
  expect(await problemOf(`${origin}/never`, 50)).toMatch(/timeout/i)
  expect(await problemOf('http://127.0.0.1:1/')).toMatch(/ECONNREFUSED|bad port/)
})

test('addresses come from the documents, without anchors and examples', () => {
  const addresses = [...outsideLinks().keys()]
  expect(addresses.length).toBeGreaterThan(20)
  expect(addresses.filter((address) => /#|127\.0\.0\.1|rpc\.example/.test(address))).toEqual([])
})
