import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ErrorCode, OptionError } from '../../devnet/primitives/errors.ts'
import { callNode, NodeError } from '../../plugin/rpc-client.ts'
import { type Answer, fakeNode } from './fakeNode.ts'
import { sampleStatus } from './sampleStatus.ts'

/** The error of `preconf_status` on a node that gives this answer; its address reads `URL`. */
async function failure(answer: Answer): Promise<{ code: number; message: string }> {
  await using node = await fakeNode(() => answer)
  const error = await callNode(node, { method: 'preconf_status' }).catch(
    (reason: unknown) => reason,
  )
  if (!(error instanceof NodeError)) throw new Error('There was no NodeError.', { cause: error })
  return { code: error.code, message: error.message.replace(node.url, 'URL') }
}

test('default', async () => {
  await using node = await fakeNode(() => ({ result: sampleStatus }))
  expect(await callNode(node, { method: 'preconf_advance', params: [{ ticks: 2 }] })).toEqual(
    sampleStatus,
  )
  expect(node.requests).toEqual([{ method: 'preconf_advance', params: [{ ticks: 2 }] }])
})

test('credentials in the address are sent in a header, and shown nowhere', async () => {
  await using node = await fakeNode(() => ({ http: 502, body: 'no' }))
  const url = node.url.replace('//', '//user:p%40ss@')
  const error = await callNode({ url }, { method: 'preconf_status' }).catch(
    (reason: unknown) => reason,
  )
  expect(node.requestHeaders[0]?.authorization).toBe(`Basic ${btoa('user:p@ss')}`)
  expect(String(error)).toContain(`${node.url} is not a JSON-RPC node`)
  expect(String(error)).not.toContain('p%40ss')
})

describe('errors', () => {
  test('no node', async () => {
    const node = await fakeNode(() => ({ result: null }))
    await node[Symbol.asyncDispose]()
    await expect(callNode(node, { method: 'preconf_status' })).rejects.toThrow(
      `No node answers at ${node.url}. Start one with "npx hardhat pending-node", or name another with --url.`,
    )
  })

  test('something that hangs up', async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await expect(
      callNode({ url: `http://127.0.0.1:${port}` }, { method: 'preconf_status' }),
    ).rejects.toBeInstanceOf(NodeError)
    server.close()
  })

  test.each([ErrorCode.methodNotFound, -32004])('a node that is not ours: %i', async (code) => {
    expect(await failure({ error: { code, message: 'unknown' } })).toEqual({
      code: ErrorCode.methodNotFound,
      message:
        'What answers at URL is not a pending-node: it does not know preconf_status. Name another with --url.',
    })
  })

  test.each<[string, Answer, number]>([
    ['text', { http: 404, body: 'not found' }, 404],
    ['null', { http: 200, body: 'null' }, 200],
  ])('something else that answers with %s', async (_, answer, status) => {
    expect(await failure(answer)).toEqual({
      code: ErrorCode.server,
      message: `What answers at URL is not a JSON-RPC node (HTTP ${status}). Start one with "npx hardhat pending-node", or name another with --url.`,
    })
  })

  test.each<[string, Answer]>([
    ['a result', { result: '0x1' }],
    ['a part', { result: { latest: {} } }],
  ])('something else that answers with %s', async (_, answer) => {
    expect(await failure(answer)).toEqual({
      code: ErrorCode.methodNotFound,
      message:
        'What answers at URL is not a pending-node: it answers preconf_status without a status. Name another with --url.',
    })
  })

  test('a refusal', async () => {
    expect(await failure({ error: { code: -32602, message: 'ticks is too large.' } })).toEqual({
      code: -32602,
      message: 'The node at URL refuses preconf_status: ticks is too large.',
    })
  })

  test.each(['foo', '', 'ftp://127.0.0.1', '127.0.0.1:8545'])('args: %s', async (url) => {
    const error = await callNode({ url }, { method: 'preconf_status' }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toEqual(
      new OptionError(
        `--url must be an address such as http://127.0.0.1:8545, not ${JSON.stringify(url)}.`,
      ),
    )
  })
})
