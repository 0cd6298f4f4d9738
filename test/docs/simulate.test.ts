import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'

const page = readFileSync(new URL('../../devnet/execution/README.md', import.meta.url), 'utf8')

/** The JSON that is replayed here: a request, its answer, and a failed call in the other form. */
function examples(): readonly [request: object, answer: Answer, failed: object] {
  const part = /<!-- simulate: [^>]*-->\n([\s\S]*?)<!-- \/simulate -->/.exec(page)?.[1]
  const found = [...(part ?? '').matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) =>
    JSON.parse(json),
  )
  expect(found).toHaveLength(3)
  return found as [object, Answer, object]
}

interface Answer {
  readonly result: readonly { readonly calls: readonly object[] }[]
}

/** A value of the page, in which `…` stands for what was cut. */
function uncut(value: unknown): unknown {
  if (typeof value === 'string') {
    const [start = '', end] = value.split('…')
    return end === undefined
      ? value
      : expect.stringMatching(new RegExp(`^${start}[0-9a-f]+${end}$`))
  }
  if (Array.isArray(value)) return value.map(uncut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, uncut(item)]))
}

async function replay(request: object, simulateErrors: 'string' | 'object'): Promise<Answer> {
  const devnet = createDevnet({
    port: 0,
    frozenTicks: true,
    timestamp: 1_800_000_000,
    simulateErrors,
  })
  await devnet.start()
  try {
    const response = await fetch(devnet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    // Held against the whole answer of the page below.
    return (await response.json()) as Answer
  } finally {
    await devnet.stop()
  }
}

test('the answer with errors as strings', async () => {
  const [request, answer] = examples()
  expect(await replay(request, 'string')).toEqual(uncut(answer))
})

test('the answer with errors as objects', async () => {
  const [request, { result, ...envelope }, failed] = examples()
  const [block] = result
  const calls = block?.calls.with(1, failed)
  expect(await replay(request, 'object')).toEqual(
    uncut({ ...envelope, result: [{ ...block, calls }] }),
  )
})
