import { describe, expect, test } from 'vitest'
import { CALLER, fakeNode } from '../rpc/fakeMethods.ts'
import { jsonRpcCases } from '../rpc/jsonRpcCases.ts'
import { JSON_HEADERS, openWebSocket, startServer } from './support.ts'

/** Ways to send a body and get the parsed answer; `undefined` where there is none. */
const doors: Readonly<Record<string, (body: string) => Promise<unknown>>> = {
  async 'in process'(body) {
    const answer = (await fakeNode().dispatch.handleText(body, CALLER))?.toString()
    return answer === undefined ? undefined : JSON.parse(answer)
  },
  async HTTP(body) {
    const { url } = await startServer()
    const response = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body })
    if (response.status === 204) {
      expect(await response.text()).toBe('')
      return undefined
    }
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    return response.json()
  },
  async WebSocket(body) {
    const { url } = await startServer()
    const client = await openWebSocket(url)
    const answers: unknown[] = []
    client.on('message', (data) => answers.push(JSON.parse(String(data))))
    client.send(body)
    // Nothing that the fakes do takes longer than two round trips.
    for (const mark of ['first', 'second']) {
      client.send(JSON.stringify({ jsonrpc: '2.0', id: mark, method: 'eth_blockNumber' }))
      await expect.poll(() => answers, { interval: 1 }).toContainEqual(markOf(mark))
    }
    expect(answers.length).toBeLessThanOrEqual(3)
    return answers.find((answer) => !isMark(answer))
  },
}

function markOf(id: string): object {
  return { jsonrpc: '2.0', id, result: '0x10' }
}

function isMark(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('id' in answer)) return false
  return answer.id === 'first' || answer.id === 'second'
}

describe.each(Object.keys(doors))('JSON-RPC 2.0 %s', (name) => {
  test.each(jsonRpcCases)('$title', async ({ body, answer }) => {
    expect(await doors[name]?.(body)).toEqual(answer)
  })
})
