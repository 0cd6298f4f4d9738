import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { loadCrypto, recoverAddress } from '../../../../devnet/engine/crypto.ts'
import type { SignedMessage } from '../../../../devnet/engine/signedMessage.ts'
import { Recovery } from '../../../../devnet/engine/workers/recovery.ts'
import { RecoveryRing } from '../../../../devnet/engine/workers/recoveryRing.ts'
import { Random } from '../../../support/random.ts'
import { RecoveryWorkers } from '../../../support/recoveryWorkers.ts'

const crypto = await loadCrypto()

/** Messages of three kinds: with a valid signature, with none, with an impossible recovery id. */
function messages(count: number, seed: number): SignedMessage[] {
  const random = new Random(seed)
  const bytes = (length: number) => Uint8Array.from({ length }, () => 1 + random.below(255))
  return Array.from({ length: count }, () => {
    const hash = bytes(32)
    if (random.once(4)) return { hash, signature: new Uint8Array(64), recoveryId: 0 }
    const signed = crypto.sign(hash, bytes(32).fill(0, 0, 1))
    return random.once(8) ? { hash, ...signed, recoveryId: 64 } : { hash, ...signed }
  })
}

function expected({ hash, signature, recoveryId }: SignedMessage): string | undefined {
  try {
    return Buffer.from(recoverAddress(crypto, hash, signature, recoveryId)).toString('hex')
  } catch {
    return undefined
  }
}

async function ready(recovery: Recovery): Promise<void> {
  recovery.start()
  while (!recovery.isReady) await new Promise((resolve) => setImmediate(resolve))
}

/** Asks for all at once; what was answered, with the place in the order of the calls. */
function recoverAll(recovery: Recovery, all: readonly SignedMessage[]) {
  const answers: { index: number; sender: string | undefined }[] = []
  const done = new Promise<void>((resolve) => {
    for (const [index, message] of all.entries()) {
      recovery.recover(message, (sender) => {
        answers.push({ index, sender: sender && Buffer.from(sender).toString('hex') })
        if (answers.length === all.length) resolve()
      })
    }
  })
  return { answers, done }
}

const noDefect = (error: unknown) => {
  throw error
}

describe('Recovery', () => {
  test('default', async () => {
    const recovery = new Recovery(noDefect)
    expect(recovery.isReady).toBe(false)
    await ready(recovery)
    const all = messages(300, 1)
    const { answers, done } = recoverAll(recovery, all)
    await done
    expect(answers).toEqual(all.map((message, index) => ({ index, sender: expected(message) })))
    await recovery.close()
    expect(recovery.isReady).toBe(false)
  })

  test('more outstanding than the memory has slots', async () => {
    const recovery = new Recovery(noDefect)
    await ready(recovery)
    const some = messages(50, 2)
    const all = Array.from({ length: 60 }, () => some).flat()
    const senders = some.map(expected)
    const { answers, done } = recoverAll(recovery, all)
    await done
    expect(answers).toEqual(all.map((_, index) => ({ index, sender: senders[index % 50] })))
    await recovery.close()
  })

  test('small rounds with sleeps of the worker between', async () => {
    const recovery = new Recovery(noDefect)
    await ready(recovery)
    const all = messages(200, 3)
    for (let from = 0, size = 1; from < all.length; from += size, size = (size % 7) + 1) {
      const round = all.slice(from, from + size)
      const { answers, done } = recoverAll(recovery, round)
      await done
      expect(answers).toEqual(round.map((message, index) => ({ index, sender: expected(message) })))
    }
    await recovery.close()
  })

  test('closed while some are outstanding, all are given back in order', async () => {
    const recovery = new Recovery(noDefect)
    await ready(recovery)
    const all = messages(100, 4)
    const { answers } = recoverAll(recovery, all)
    const closed = recovery.close()
    expect(answers.map(({ index }) => index)).toEqual(all.map((_, index) => index))
    for (const { index, sender } of answers) {
      const message = all[index]
      if (sender !== undefined) expect(sender).toBe(message && expected(message))
    }
    expect(answers.at(-1)?.sender).toBe(undefined)
    await closed
  })

  test('the worker ends under load, all are given back, one defect is told', async () => {
    const defects: unknown[] = []
    const workers = new RecoveryWorkers()
    const recovery = new Recovery((error) => defects.push(error), workers.start)
    await ready(recovery)
    const all = messages(900, 5)
    const { answers, done } = recoverAll(recovery, all)
    await workers.endFirst()
    await done
    expect(answers.map(({ index }) => index)).toEqual(all.map((_, index) => index))
    expect(defects.map(String)).toEqual([
      'RecoveryWorkerError: The signature recovery worker ended; the node goes on without it',
    ])
    expect(recovery.isReady).toBe(false)
    recovery.start()
    expect(workers.count).toBe(1)
    await recovery.close()
  })

  test('once the ring is shut, the worker stays out of native code', () => {
    const ring = new RecoveryRing()
    for (const message of messages(3, 6)) ring.ask(message, 0, () => {})
    ring.shut()
    const never = () => {
      throw new Error('Called after the ring was shut')
    }
    expect(ring.serve(0, never)).toBe(0)
    expect(ring.enter()).toBe(false)
  })

  test.each([
    ['throws', () => new Worker('not a path')],
    ['is no program', () => new Worker('throw new Error("broken")', { eval: true })],
  ])('a worker that %s', async (_, start) => {
    const { promise: defect, resolve } = Promise.withResolvers<unknown>()
    const recovery = new Recovery(resolve, start)
    recovery.start()
    expect(String(await defect)).toMatch(/^RecoveryWorkerError: /)
    expect(recovery.isReady).toBe(false)
    await recovery.close()
  })

  test('a process ends even if the recovery is not closed', () => {
    const child = fileURLToPath(new URL('recovery.child.ts', import.meta.url))
    const { status, stdout } = spawnSync(process.execPath, [child], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'recovered: undefined\n' })
  })
})
