import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type Hex, type OptionsInput } from '../../../devnet/index.ts'
import { askNode } from '../../support/peerNode.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { ask, COUNTER, count, startUpstream } from './forkSupport.ts'

const UNKNOWN: Hex = `0x${'ee'.repeat(20)}`
/** Of the upstream's pending block. */
const COINBASE: Hex = `0x${'cb'.repeat(20)}`

/** ms for a test: a stop ends at once, and what waits for the upstream would take 45 s. */
const MOST = 5_000

/** An upstream behind a proxy, and a node that is to stand on its newest block. */
async function setUp(options: OptionsInput) {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setCoinbase', COINBASE)
  await count(upstream)
  const proxy = await UpstreamProxy.start(upstream.url)
  const fork = createDevnet({
    port: 0,
    noWallet: true,
    noForkCache: true,
    fork: proxy.url,
    forkPrefetch: 'off',
    ...options,
  })
  onTestFinished(async () => {
    await fork.stop()
    await proxy.stop()
  })
  /**
   * Answers no more HTTP requests with this method or about this account; resolves when one came.
   */
  const hang = (what: string) =>
    new Promise<void>((resolve) => {
      proxy.play(({ items }) => {
        if (!items.some(({ method, params }) => method === what || params[0] === what)) return
        resolve()
        return { kind: 'hang' }
      })
    })
  return { fork, hang }
}

const counting = ({ accounts: [sender] }: Devnet) => ({ from: sender?.address, to: COUNTER })

/** Sends a transaction whose gas need not be estimated. */
function send(fork: Devnet) {
  return ask(fork, 'eth_sendTransaction', { ...counting(fork), gas: '0x30000' })
}

const RECEIPT = 'eth_getTransactionReceipt'

/** What waits, the options, the method or account that hangs, and what is waited for. */
type Row = readonly [string, OptionsInput, string, (fork: Devnet) => Promise<unknown>]

const READS: readonly Row[] = [
  ['a read', {}, 'eth_getAccountInfo', ({ url }) => askNode(url, 'eth_getBalance', UNKNOWN)],
  [
    'an older block',
    {},
    'eth_getBlockByNumber',
    ({ url }) => askNode(url, 'eth_getBlockByNumber', '0x1', true),
  ],
  ['logs', {}, 'eth_getLogs', ({ url }) => askNode(url, 'eth_getLogs', { fromBlock: '0x0' })],
  ['a call', {}, 'eth_getStorageAt', ({ url }) => askNode(url, 'eth_call', { to: COUNTER })],
  [
    'a prefetched call',
    { forkPrefetch: 'access-list' },
    'eth_createAccessList',
    (fork) => ask(fork, 'eth_call', { ...counting(fork), data: '0x12345678' }),
  ],
  ['an estimate', {}, 'eth_getAccountInfo', (fork) => ask(fork, 'eth_estimateGas', counting(fork))],
]

const WRITES: readonly Row[] = [
  [
    'a sender',
    {},
    'eth_getAccountInfo',
    (fork) => ask(fork, 'eth_sendTransaction', counting(fork)),
  ],
  ['a transaction in instant mode', { instant: true }, 'eth_getStorageAt', send],
  [
    'a command behind a transaction',
    { frozen: true },
    'eth_getStorageAt',
    async (fork) => {
      await send(fork)
      await ask(fork, 'evm_mine')
    },
  ],
  ['a cheat', {}, 'eth_getAccountInfo', (fork) => ask(fork, 'hardhat_setBalance', UNKNOWN, '0x1')],
  [
    'a reset',
    {},
    'eth_getBlockByNumber',
    (fork) => ask(fork, 'hardhat_reset', { forking: { blockNumber: 2 } }),
  ],
  [
    'the receipts of a reset to a pending block',
    {},
    RECEIPT,
    (fork) => ask(fork, 'hardhat_reset', { forking: { blockNumber: 'pending' } }),
  ],
  [
    'the coinbase of a reset to a pending block',
    {},
    COINBASE,
    (fork) => ask(fork, 'hardhat_reset', { forking: { blockNumber: 'pending' } }),
  ],
]

test.each([...READS, ...WRITES])(
  'a stop ends %s that waits for an upstream that hangs',
  { timeout: MOST },
  async (_, options, what, work) => {
    const { fork, hang } = await setUp(options)
    await fork.start()
    const hung = hang(what)
    const outcome = work(fork).catch((error: unknown) => error)
    await hung
    await fork.stop()
    expect(await outcome).toBeInstanceOf(Error)
  },
)

test.each<[string, OptionsInput, string]>([
  ['the block', {}, 'eth_chainId'],
  ['the system contracts', {}, 'eth_getStorageAt'],
  ['the pending block', { forkBlockNumber: 'pending' }, 'eth_getBlockByNumber'],
  ['the receipts of the pending block', { forkBlockNumber: 'pending' }, RECEIPT],
])('a stop ends a start that waits for %s', { timeout: MOST }, async (_, options, method) => {
  const { fork, hang } = await setUp(options)
  const hung = hang(method)
  const outcome = fork.start().catch((error: unknown) => error)
  await hung
  await fork.stop()
  expect(await outcome).toBeInstanceOf(Error)
})
