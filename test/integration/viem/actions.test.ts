import { createClient, custom, MethodNotFoundRpcError, publicActions, walletActions } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { blocks } from './blocks.ts'
import { logs } from './logs.ts'
import { reads } from './reads.ts'
import { refused } from './refused.ts'
import { simulations } from './simulations.ts'
import { type Cases, createStage, type Stage, transportNames } from './stage.ts'
import { standards } from './standards.ts'
import { transactions } from './transactions.ts'
import { wallet } from './wallet.ts'
import { watches } from './watches.ts'

const cases: Cases = {
  ...reads,
  ...blocks,
  ...transactions,
  ...logs,
  ...watches,
  ...simulations,
  ...standards,
  ...wallet,
}

/** Every action that viem's public and wallet clients have; those of a group as `group.action`. */
function viemActions(): readonly string[] {
  const client = createClient({ transport: custom({ request: async () => undefined }) })
  const names = [publicActions(client), walletActions(client)].flatMap((actions) =>
    Object.entries(actions).flatMap(([name, action]: [string, unknown]) =>
      typeof action === 'object' && action !== null
        ? Object.keys(action).map((member) => `${name}.${member}`)
        : [name],
    ),
  )
  return [...new Set(names)]
}

test('every action of viem has a case or a reason why the node refuses it', () => {
  expect([...Object.keys(cases), ...Object.keys(refused)].sort()).toEqual([...viemActions()].sort())
})

describe.each(transportNames)('%s', (transport) => {
  let stage: Stage
  let snapshot: unknown

  beforeAll(async () => {
    stage = await createStage(transport)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  // Each case finds the chain as the stage describes it.
  beforeEach(async () => {
    snapshot = await stage.devnet.provider.request({ method: 'evm_snapshot' })
  })
  afterEach(() => stage.devnet.provider.request({ method: 'evm_revert', params: [snapshot] }))

  test.each(Object.entries(cases))('%s', (_, play) => play(stage))

  test.each(Object.entries(refused))('%s: refused', async (_, { method, run }) => {
    const error = await run(stage).then(
      () => undefined,
      (one: unknown) => one,
    )
    expect(error).toBeInstanceOf(MethodNotFoundRpcError)
    expect(error).toMatchObject({ code: -32601, details: expect.stringContaining(method) })
  })
})
