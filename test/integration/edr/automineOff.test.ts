import { isDeepStrictEqual } from 'node:util'
import type { Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../support/random.ts'
import { createEdrPeer } from './edrPeer.ts'
import { createOwnPeer } from './ownPeer.ts'
import type { Peer, PeerOptions } from './peer.ts'
import { CAPS } from './transactions.ts'

// A network that started instant, with automine off: what is sent waits for a block on both.
// Another run: EDR_SEED=7 EDR_STEPS=500 npx vitest run test/integration/edr/automineOff.test.ts

const seed = Number(process.env.EDR_SEED ?? 1)
const steps = Number(process.env.EDR_STEPS ?? 150)

const START = 1_800_000_000

const OPTIONS: PeerOptions = {
  chainId: 31337,
  timestamp: START,
  baseFee: 1_000_000_000n,
  gasLimit: 300_000,
  hardfork: 'osaka',
}

/** Stores the timestamp and base fee of its block, and how often it was called; answers the three. */
const RECORDER: Hex = `0x${'c1'.repeat(20)}`
const RECORDER_CODE =
  '0x425f554860015560025460010160025560025460405260015460205260005460005260605ff3'

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** The parts of an answer that both nodes have in the same form. */
type Form = (result: unknown) => unknown

const fields =
  (...names: readonly string[]): Form =>
  (result) => {
    if (typeof result !== 'object' || result === null) return result
    const entries = Object.entries(result)
    return Object.fromEntries(entries.filter(([name]) => names.includes(name)))
  }

test(`default: ${steps} steps, seed ${seed}`, { timeout: 60_000 + steps * 100 }, async () => {
  const ours = await createOwnPeer(OPTIONS)
  onTestFinished(() => ours.stop())
  const theirs = await createEdrPeer(OPTIONS)
  onTestFinished(() => theirs.stop())
  const random = new Random(seed)
  const log: string[] = []

  /** Asks both; returns the result. */
  async function ask<Result>(
    method: string,
    params: readonly unknown[],
    form: Form = (same) => same,
  ) {
    log.push(`${method} ${JSON.stringify(params)}`)
    const answer = async (peer: Peer) => {
      const outcome = await peer.request(method, params)
      return 'result' in outcome ? { result: form(outcome.result) } : { refused: true }
    }
    const [mine, other] = [await answer(ours), await answer(theirs)]
    expect(mine, `seed ${seed}, after:\n${log.slice(-12).join('\n')}`).toEqual(other)
    // Each caller knows what the method that it asks for answers.
    return (mine as { result?: Result }).result
  }

  const accounts = ours.accounts.slice(0, 4).map(({ address }) => address)
  await ask('hardhat_setCode', [RECORDER, RECORDER_CODE])
  await ask('evm_setAutomine', [true])
  await ask('evm_setAutomine', [false])
  let time = START + 100
  const chooseTime = () => {
    time += 1 + random.below(50)
    return ask('evm_setNextBlockTimestamp', [time], () => undefined)
  }
  await chooseTime()
  const sent: Hex[] = []
  let mined = 0
  let gaps = 0

  async function send(from = random.pick(accounts), nonce?: number): Promise<void> {
    const call = random.once(2)
    const hash = await ask<Hex>('eth_sendTransaction', [
      {
        from,
        to: call ? RECORDER : random.pick(accounts),
        value: call ? '0x0' : hex(random.below(1000)),
        gas: call ? '0x186a0' : '0x5208',
        ...(nonce === undefined ? undefined : { nonce: hex(nonce) }),
        ...CAPS,
      },
    ])
    if (hash !== undefined) sent.push(hash)
  }

  /** Sends the next nonces of an account, the last first, with automine on by the last send. */
  async function closeGap(): Promise<void> {
    await ask('evm_mine', [])
    await chooseTime()
    const from = random.pick(accounts)
    const next = Number(await ask('eth_getTransactionCount', [from, 'latest']))
    for (let ahead = 1 + random.below(3); ahead > 0; ahead--) await send(from, next + ahead)
    if (random.once(2)) await send()
    await ask('evm_setAutomine', [true])
    await send(from, next)
    const number = await ask('eth_blockNumber', [])
    await ask('eth_getBlockByNumber', [number, false], fields('transactions', 'gasUsed'))
    await ask('evm_setAutomine', [false])
    await chooseTime()
    gaps++
  }

  /** Whether the next block has room for all that waits. */
  async function fits(): Promise<boolean> {
    const pool = await ours.request('txpool_status')
    const taken = await ask('eth_getBlockTransactionCountByNumber', ['pending'])
    return 'result' in pool && isDeepStrictEqual(fields('pending')(pool.result), { pending: taken })
  }

  async function read(): Promise<void> {
    const account = random.pick(accounts)
    const block = random.once(4) ? 'latest' : 'pending'
    const hash = sent.at(-1 - random.below(Math.min(sent.length, 8))) ?? hex(0)
    switch (random.below(9)) {
      case 0:
        // EDR does not count what has no room in the next block; then its count is of no use to clients.
        if (block === 'latest' || (await fits())) {
          await ask('eth_getTransactionCount', [account, block])
        }
        break
      case 1:
        await ask('eth_getBalance', [account, block])
        break
      case 2:
        await ask('eth_call', [{ from: account, to: RECORDER }, block])
        break
      case 3:
        await ask('eth_getStorageAt', [RECORDER, hex(random.below(3)), block])
        break
      case 4:
        await ask(
          'eth_getBlockByNumber',
          [block, false],
          fields('transactions', 'gasUsed', 'timestamp', 'baseFeePerGas', 'miner'),
        )
        break
      case 5:
        if (sent.length > 0)
          await ask(
            'eth_getTransactionReceipt',
            [hash],
            fields(
              'transactionHash',
              'blockNumber',
              'transactionIndex',
              'gasUsed',
              'cumulativeGasUsed',
            ),
          )
        break
      case 6:
        if (sent.length > 0)
          await ask(
            'eth_getTransactionByHash',
            [hash],
            fields('hash', 'blockNumber', 'transactionIndex', 'nonce'),
          )
        break
      case 7:
        await ask('eth_getBlockTransactionCountByNumber', [block])
        break
      case 8:
        await ask(
          'eth_estimateGas',
          [{ from: account, to: accounts[0], value: '0x1' }, block],
          (gas) => typeof gas,
        )
        break
    }
  }

  for (let step = 0; step < steps; step++) {
    switch (random.below(14)) {
      case 13:
        await closeGap()
        break
      case 12:
        // The send that comes next takes what waits with it.
        await ask('evm_setAutomine', [true])
        for (let reads = random.below(3); reads > 0; reads--) await read()
        await send()
        await ask('eth_blockNumber', [])
        await ask('evm_setAutomine', [false])
        await chooseTime()
        break
      case 0:
        await ask('evm_mine', [])
        await chooseTime()
        mined++
        break
      case 1:
        if (random.once(3)) {
          await ask('hardhat_mine', ['0x2', hex(1 + random.below(9))], () => undefined)
          time += 10
          await chooseTime()
        } else
          await ask('hardhat_setNextBlockBaseFeePerGas', [
            hex(500_000_000 + random.below(1_000_000_000)),
          ])
        break
      case 2:
        await ask('hardhat_setBalance', [
          random.pick(accounts),
          hex(10n ** 18n + BigInt(random.below(1000))),
        ])
        break
      case 3:
        await ask('hardhat_setCoinbase', [
          `0x${'ab'.repeat(19)}${(10 + random.below(80)).toString()}`,
        ])
        break
      case 4:
      case 5:
      case 6:
      case 7:
        await send()
        break
      default:
        await read()
    }
  }
  expect(sent.length).toBeGreaterThan(steps / 5)
  expect(mined).toBeGreaterThan(steps / 30)
  expect(gaps).toBeGreaterThan(steps / 50)
})
