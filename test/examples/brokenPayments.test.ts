import { createPublicClient, custom, http, type PublicClient } from 'viem'
import { hardhat } from 'viem/chains'
import { expect, test } from 'vitest'
import { createDevnet, type Devnet, type Provider } from '../../devnet/index.ts'
import { Payments, signPayment } from '../../examples/reorg-safe-app/payments.ts'
import { type ExploreContext, explore } from '../../plugin/explore.ts'
import { sleep } from '../devnet/explore/apps.ts'
import { failureOf } from '../devnet/explore/failureOf.ts'
import { startNode } from '../programs/startNode.ts'
import {
  Hasty,
  LosesLogs,
  TILL,
  TILL_CODE,
  TrustsNonce,
  Twice,
  WantsPreconfirmation,
} from './brokenPayments.ts'

/** Number of ticks after which no schedule can do more. */
const AFTERWARDS = 50

type Accounts = Pick<Devnet, 'accounts'>

type OpenApp = (client: PublicClient, accounts: Accounts) => Payments

interface Stage extends Accounts {
  /** Of the test itself, which no fault touches. */
  readonly provider: Pick<Provider, 'request'>
  readonly client: PublicClient
  /** Passes one tick of the chain's time. */
  tick(): Promise<unknown>
}

/** Pays the till, which is to have got that once if the app says that it is final. */
async function paysOnce(open: OpenApp, stage: Stage): Promise<void> {
  const { accounts, provider, client, tick } = stage
  await provider.request({ method: 'hardhat_setCode', params: [TILL, TILL_CODE] })
  const payments = open(client, { accounts })
  await payments.look()
  const payment = { nonce: 0, value: 1n, to: TILL }
  const hash = await payments.send(await signPayment({ accounts }, payment))
  const next = async () => {
    await tick()
    await payments.look()
  }
  while (payments.place(hash)?.is !== 'final') await next()
  for (let left = AFTERWARDS; left > 0; left--) await next()
  const balance = await provider.request({ method: 'eth_getBalance', params: [TILL, 'latest'] })
  expect(balance).toBe('0x1')
}

function inRun(open: OpenApp) {
  return ({ devnet: { accounts, provider: own }, provider }: ExploreContext) =>
    paysOnce(open, {
      accounts,
      provider: own,
      client: createPublicClient({ chain: hardhat, transport: custom(provider) }),
      tick: () => sleep(200),
    })
}

/** On a node whose clocks stand still: commands pass its ticks, and seal a block after ten. */
function byCommand(open: OpenApp, accounts: Accounts['accounts'], client: PublicClient) {
  // The parameters of the methods that the test calls are not those of viem's schema.
  const provider = { request: client.request as unknown as Provider['request'] }
  let ticks = 0
  return paysOnce(open, {
    accounts,
    provider,
    client,
    async tick() {
      if (++ticks > 300) throw new Error('The test hangs')
      const extent = ticks % 10 === 0 ? { blocks: 1 } : { ticks: 1 }
      await provider.request({ method: 'preconf_advance', params: [extent] })
    },
  })
}

interface Broken {
  readonly mistake: string
  readonly open: OpenApp
  readonly schedule: string
  readonly message: string
}

const DROPPED =
  'the transaction of account #0 with nonce 0 that was pre-confirmed in tick 0 of block 1 was dropped in the tick after it'

const BROKEN: readonly Broken[] = [
  {
    mistake: 'shows success at pre-confirmation',
    open: (client) => new Hasty(client),
    schedule: DROPPED,
    message: "expected '0x0' to be '0x1'",
  },
  {
    mistake: 'sends twice after a drop',
    open: (client, accounts) => new Twice(client, accounts),
    schedule: DROPPED,
    message: "expected '0x2' to be '0x1'",
  },
  {
    mistake: 'loses a log at a reorganisation',
    open: (client) => new LosesLogs(client),
    schedule: 'block 1 was reorganised',
    message: 'The test hangs',
  },
  {
    mistake: 'trusts a nonce',
    open: (client) => new TrustsNonce(client),
    schedule: 'blocks 1 and 2 were reorganised, their transactions dropped',
    message: "expected '0x0' to be '0x1'",
  },
  {
    mistake: 'hangs on a stalled pending block',
    open: (client) => new WantsPreconfirmation(client),
    schedule: 'ticks executed nothing from tick 0 of block 1 to its seal',
    message: 'The test hangs',
  },
]

test('the example passes under every schedule', async () => {
  const summary = await explore(inRun((client) => new Payments(client)))
  expect(summary).toMatchObject({ complete: true, tried: summary.known })
})

test.each(BROKEN)(
  'an app that $mistake is found, and fails so again from the file',
  async (app) => {
    const found = await failureOf(explore(inRun(app.open)))
    expect(found).toMatchObject({
      schedule: app.schedule,
      message: expect.stringContaining(app.message),
    })
    const again = await failureOf(explore(inRun(app.open), { replay: found.file }))
    expect(again.message).toBe(found.message)

    await using devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true })
    await devnet.start()
    const inProcess = createPublicClient({ chain: hardhat, transport: custom(devnet.provider) })
    const { accounts } = devnet
    await byCommand((client) => new Payments(client), accounts, inProcess)
    await devnet.provider.request({ method: 'hardhat_reset' })
    await devnet.faults(found.script)
    await expect(byCommand(app.open, accounts, inProcess)).rejects.toThrow(app.message)

    const flags = ['--frozen', '--frozen-ticks', '--faults', found.file ?? '']
    await using node = await startNode(...flags)
    const client = createPublicClient({ chain: hardhat, transport: http(node.url) })
    await expect(byCommand(app.open, accounts, client)).rejects.toThrow(app.message)
  },
)
