import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { type Hex, numberToHex, pad } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { executionTarget } from '../../../../devnet/execution/executionTarget.ts'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { callTasks } from '../../../../devnet/rpc/heavy/callTasks.ts'
import { HeavyCalls } from '../../../../devnet/rpc/heavy/heavyCalls.ts'
import type { TaskLimits } from '../../../../devnet/rpc/heavy/task.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { UpstreamError } from '../../../../devnet/state/remote/remoteSource.ts'
import { createTestChain, forkTestChain } from '../../../support/chain.ts'
import { MemorySource } from '../../../support/memorySource.ts'

const CODE: Hex = '0x000000000000000000000000000000000000c0de'

/** Hashes so often that it uses far more than three slices, then returns the slot in its calldata. */
const heavy = fromHex('0x620249f05b60205f20506001900380600457505f35545f5260205ff3')

const word = (value: number) => pad(numberToHex(value))

test('heavy calls on threads read what a forked chain has to fetch', async () => {
  const upstream = await createTestChain()
  const { head, store } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const key = addressKeyFromHex(CODE)
  source.accounts.set(key, { nonce: 1n, balance: 0n, code: heavy })
  const set = (slot: number) =>
    source.setSlot(key, slotKeyFromBigInt(BigInt(slot)), Uint8Array.of(slot))
  for (let slot = 1; slot < 100; slot++) set(slot)
  const { chain, engine } = await forkTestChain(upstream, source)
  const calls = new HeavyCalls(engine, {
    workers: 1,
    onInternalError: (error) => {
      throw error
    },
    meter: { isIdle: () => false, helped: () => undefined },
  })
  const started: Worker[] = []
  const see = (worker: Worker) => void started.push(worker)
  process.on('worker', see)
  onTestFinished(async () => {
    process.off('worker', see)
    await calls.close()
    await chain.close()
  })
  const call = async (slot: number, limits: TaskLimits = {}) => {
    const target = executionTarget(chain, chain.pending)
    const request = { to: CODE, data: word(slot) }
    const args = { block: target.block, request, gasCap: 10n ** 12n }
    return (await calls.run(callTasks.call, target, args, limits)).returnData
  }
  let onThread = 0
  let slot = 1
  while (onThread < 2) {
    const [worker] = started
    const question = worker === undefined ? undefined : once(worker, 'message')
    expect(await call(slot)).toBe(word(slot))
    const asked = source.asked.flatMap(({ slots }) => slots.filter(([owner]) => owner === key))
    expect(asked).toHaveLength(slot)
    slot++
    if (question !== undefined && (await Promise.race([question, undefined])) !== undefined) {
      onThread++
    }
    if (slot > 90) throw new Error('No call has moved to a thread')
  }
  // A failure is the call's error, and the next call is answered.
  source.failure = new UpstreamError('HTTP 503, 5 attempts', { transient: true })
  await expect(call(95)).rejects.toThrow('HTTP 503, 5 attempts')
  source.failure = undefined
  expect(await call(95)).toBe(word(95))
  // The wait for the upstream counts for no limit, and ends with the request.
  source.delay = () => new Promise(() => undefined)
  const client = new AbortController()
  const waiting = call(96, { signal: client.signal, timeout: 500 })
  const outcome = waiting.catch(String)
  client.abort()
  expect(await outcome).toContain('the request was withdrawn')
})
