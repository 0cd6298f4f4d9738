/**
 * Calls heavily in a node of the build until a thread has answered, stops nothing, and so ends by
 * itself only if idle threads let it.
 */
import type { Worker } from 'node:worker_threads'

// The build, which the type checker does not see.
const { createDevnet }: typeof import('../../devnet/index.ts') = await import(
  new URL('../../dist/devnet/index.js', import.meta.url).href
)
const node = createDevnet({ port: 0, frozenTicks: true, workers: 1, simulateTimeout: 60_000 })
await node.start()
let answers = 0
process.on('worker', (worker: Worker) => {
  worker.on('message', ({ kind }: { kind: string }) => {
    if (kind === 'done') answers++
  })
})
const to = '0x00000000000000000000000000000000000c0de0'
// 150,000 hashes, then 42.
const code = '0x620249f05b60205f2050600190038060045750602a5f5260205ff3'
const results = new Set<unknown>()
while (answers === 0) {
  const request = { method: 'eth_call', params: [{ to }, 'latest', { [to]: { code } }] }
  results.add(await node.provider.request(request))
}
console.log([...results].join())
