import { describe, expect, test } from 'vitest'
import { resolveWalletOptions, type WalletOptions } from '../../../devnet/options/walletOptions.ts'
import { waitFor } from '../../../devnet/wallet/core/controlCommands.ts'
import type { Session } from '../../../devnet/wallet/core/session.ts'
import { Wallet } from '../../../devnet/wallet/core/wallet.ts'
import { findMethod } from '../../../devnet/wallet/core/walletMethods.ts'
import type { WaitForFilter } from '../../../devnet/wallet/types.ts'
import { ALICE, chainOf, NO_NODE, type TestClock, testClock } from './support.ts'

/** Nobody gives up. */
function wait(session: Session, filter: WaitForFilter, state: 'pending' | 'decided') {
  return waitFor(session, filter, state, new AbortController().signal)
}

/** A session without a node, whose time a test moves. */
function openSession(options: WalletOptions = {}): { session: Session; clock: TestClock } {
  const clock = testClock()
  const wallet = new Wallet({
    settings: resolveWalletOptions({ policy: 'hold', probe: false, ...options }),
    clock,
    node: NO_NODE,
    onInternalError(error) {
      throw error
    },
  })
  return { session: wallet.session('default'), clock }
}

function client(origin: string | null = null) {
  const controller = new AbortController()
  return { origin, signal: controller.signal, subscribe: () => undefined, controller }
}

async function ask(session: Session, name: string, params: unknown, asking = client()) {
  return session.request({ name, method: await findMethod(name), params }, asking)
}

function add(session: Session, asking = client(), chainId: `0x${string}` = '0x53a') {
  const answer = ask(session, 'wallet_addEthereumChain', [chainOf(chainId)], asking)
  // Looked at later by most tests.
  answer.catch(() => undefined)
  return answer
}

describe('deadline', () => {
  test('default: 120 s, then 4001', async () => {
    const { session, clock } = openSession()
    const answer = add(session)
    const { id, received, deadline } = await wait(session, {}, 'pending')
    expect([received, deadline]).toEqual([1_000, 121_000])
    clock.advance(119_999)
    expect(session.queue.list()).toHaveLength(1)
    clock.advance(1)
    await expect(answer).rejects.toMatchObject({ code: 4001 })
    expect(session.queue.list()).toEqual([])
    expect(session.history.list()).toMatchObject([
      { id, decision: 'expired', decidedBy: 'deadline', decided: 121_000 },
    ])
    expect(session.chains.find('0x53a')).toBeUndefined()
  })

  test('args: deadline, deadlineCode', async () => {
    const { session, clock } = openSession({ deadline: 10, deadlineCode: -32002 })
    const answer = add(session)
    await wait(session, {}, 'pending')
    clock.advance(10)
    await expect(answer).rejects.toMatchObject({ code: -32002 })
  })

  test('args: deadline 0 waits for ever', async () => {
    const { session, clock } = openSession({ deadline: 0 })
    add(session)
    const { deadline } = await wait(session, {}, 'pending')
    clock.advance(1e12)
    expect([deadline, session.queue.list().length]).toEqual([null, 1])
  })
})

describe('delay', () => {
  test('default: the policy decides when it is over', async () => {
    const { session, clock } = openSession()
    session.policy.change({ add: { decision: 'approve', delay: 500 } })
    const answer = add(session)
    await wait(session, {}, 'pending')
    clock.advance(499)
    expect(session.queue.list()).toHaveLength(1)
    clock.advance(1)
    expect(await answer).toBeNull()
    expect(session.history.list()).toMatchObject([{ decision: 'approved', decidedBy: 'policy' }])
  })

  test('a person may be faster', async () => {
    const { session, clock } = openSession()
    session.policy.change({ add: { decision: 'reject', delay: 500 } })
    const answer = add(session)
    const { id } = await wait(session, {}, 'pending')
    await session.queue.decide(id, { decision: 'approved', by: 'control' })
    clock.advance(500)
    expect(await answer).toBeNull()
  })
})

describe('withdrawal', () => {
  test('a client that hangs up takes its request back', async () => {
    const { session } = openSession()
    const one = client('http://localhost:1')
    const answer = add(session, one)
    add(session, client('http://localhost:2'))
    await wait(session, { origin: 'http://localhost:2' }, 'pending')
    one.controller.abort()
    await expect(answer).rejects.toMatchObject({ code: 4001 })
    expect(session.queue.list()).toMatchObject([{ origin: 'http://localhost:2' }])
    expect(session.history.list()).toMatchObject([
      { origin: 'http://localhost:1', decision: 'withdrawn', decidedBy: 'client' },
    ])
  })

  test('one that hung up before is never asked about', async () => {
    const { session } = openSession()
    const one = client()
    one.controller.abort()
    await expect(add(session, one)).rejects.toMatchObject({ code: 4001 })
    expect(session.queue.list()).toEqual([])
  })

  test('another active chain ends what was meant for the one before', async () => {
    const { session } = openSession({
      knownChains: [
        { chainId: '0x7a69', symbol: 'ETH' },
        { chainId: '0x1', symbol: 'ETH' },
      ],
    })
    session.connect(null, ALICE)
    const sent = ask(session, 'eth_sendTransaction', [{ from: ALICE, to: ALICE }])
    sent.catch(() => undefined)
    add(session)
    await wait(session, { method: 'eth_sendTransaction' }, 'pending')
    await wait(session, { method: 'wallet_addEthereumChain' }, 'pending')
    session.activate('0x1')
    await expect(sent).rejects.toMatchObject({ code: 4001 })
    expect(session.queue.list()).toMatchObject([{ method: 'wallet_addEthereumChain' }])
  })

  test('an account that was disconnected meanwhile signs nothing', async () => {
    const { session } = openSession()
    session.connect(null, ALICE)
    const signed = ask(session, 'personal_sign', ['0x00', ALICE])
    const { id } = await wait(session, {}, 'pending')
    session.disconnect(null)
    const approved = session.queue.decide(id, { decision: 'approved', by: 'control' })
    await expect(signed).rejects.toMatchObject({ code: 4100 })
    await approved
  })
})

describe('limits', () => {
  test('args: maxPending, for each origin and ten times as many for all', async () => {
    const { session } = openSession({ maxPending: 2 })
    const one = client('http://localhost:1')
    add(session, one)
    add(session, one, '0x53b')
    await expect(add(session, one, '0x53c')).rejects.toMatchObject({ code: -32005 })
    // Others are not held up.
    for (let port = 2; port <= 10; port++) {
      add(session, client(`http://localhost:${port}`))
      add(session, client(`http://localhost:${port}`))
    }
    await wait(session, { origin: 'http://localhost:10' }, 'pending')
    await expect(add(session, client('http://localhost:11'))).rejects.toMatchObject({
      code: -32005,
    })
    one.controller.abort()
    await wait(session, { origin: 'http://localhost:1' }, 'decided')
    add(session, client('http://localhost:12'))
    await wait(session, { origin: 'http://localhost:12' }, 'pending')
  })

  test('args: maxHistory', async () => {
    const { session } = openSession({ policy: 'approve', maxHistory: 2 })
    for (const chainId of ['0x1', '0x2', '0x3'] as const) await add(session, client(), chainId)
    expect(session.history.list().map(({ params }) => params)).toEqual([
      [chainOf('0x2')],
      [chainOf('0x3')],
    ])
  })
})

describe('waitFor', () => {
  test('gives up after its time', async () => {
    const { session, clock } = openSession()
    const waited = wait(session, { method: 'personal_sign', timeout: 50 }, 'pending')
    clock.advance(50)
    await expect(waited).rejects.toThrow('no request of personal_sign is waiting after 50 ms')
  })

  test('args: after skips what was before', async () => {
    const { session } = openSession({ policy: 'approve' })
    await add(session)
    const first = await wait(session, {}, 'decided')
    const next = wait(session, { after: first.id }, 'decided')
    await add(session, client(), '0x53b')
    expect((await next).params).toEqual([chainOf('0x53b')])
  })
})
