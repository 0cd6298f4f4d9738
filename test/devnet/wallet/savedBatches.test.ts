import { readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { temporaryFile } from '../../support/genesisFile.ts'
import { ALICE, askAt, BOB, DAPP } from './support.ts'

const CALLS = {
  version: '2.0.0',
  chainId: '0x7a69',
  from: ALICE,
  atomicRequired: false,
  calls: [
    { to: BOB, value: '0x1' },
    { to: BOB, value: '0x2' },
  ],
}

/** Runs a node on a state file, asks its wallet, and stops it. */
async function run<Result>(
  state: string,
  use: (ask: typeof askAt, url: string, devnet: ReturnType<typeof createDevnet>) => Promise<Result>,
): Promise<Result> {
  const wallet = { autoConnect: true }
  const devnet = createDevnet({ port: 0, frozenTicks: true, frozen: true, state, wallet })
  await devnet.start()
  try {
    return await use(askAt, devnet.wallet.url, devnet)
  } finally {
    await devnet.stop()
  }
}

function stateFile(): string {
  const path = temporaryFile('state.json', '')
  rmSync(path)
  return path
}

const statusAt = (ask: typeof askAt, url: string, id: string, origin?: string) =>
  ask(url, 'wallet_getCallsStatus', [id], origin)

test('a batch that was pending is known after a restart, also by a node whose wallet nobody uses', async () => {
  const state = stateFile()
  const session = (url: string) => `${url}/s/other`
  await run(state, async (ask, url) => {
    await ask(url, 'wallet_sendCalls', [{ ...CALLS, id: 'one' }], DAPP)
    await ask(session(url), 'wallet_sendCalls', [{ ...CALLS, id: 'two' }])
    expect(await statusAt(ask, url, 'one', DAPP)).toMatchObject({ result: { status: 100 } })
  })
  await run(state, async () => undefined)
  await run(state, async (ask, url, devnet) => {
    await devnet.clock.advance({ ticks: 1 })
    expect(await statusAt(ask, url, 'one', DAPP)).toMatchObject({
      result: { id: 'one', status: 200, atomic: false, receipts: [{}, {}] },
    })
    // Each origin and session sees its own.
    expect(await statusAt(ask, url, 'one')).toMatchObject({ error: { code: 5730 } })
    expect(await statusAt(ask, url, 'two')).toMatchObject({ error: { code: 5730 } })
    expect(await statusAt(ask, session(url), 'two')).toMatchObject({ result: { status: 200 } })
    // The id is taken.
    expect(await ask(url, 'wallet_sendCalls', [{ ...CALLS, id: 'one' }], DAPP)).toMatchObject({
      error: { code: 5720 },
    })
  })
})

test('a reset forgets batches for good, a revert does not', async () => {
  const state = stateFile()
  await run(state, async (ask, url, devnet) => {
    const snapshot = await devnet.provider.request({ method: 'evm_snapshot' })
    await ask(url, 'wallet_sendCalls', [{ ...CALLS, id: 'one' }])
    await devnet.provider.request({ method: 'evm_revert', params: [snapshot] })
  })
  await run(state, async (ask, url, devnet) => {
    expect(await statusAt(ask, url, 'one')).toMatchObject({ result: { status: 400 } })
    await devnet.provider.request({ method: 'hardhat_reset' })
    expect(await statusAt(ask, url, 'one')).toMatchObject({ error: { code: 5730 } })
  })
  await run(state, async (ask, url) => {
    expect(await statusAt(ask, url, 'one')).toMatchObject({ error: { code: 5730 } })
  })
  expect(readFileSync(state, 'utf8')).not.toContain('wallet_batches')
})
