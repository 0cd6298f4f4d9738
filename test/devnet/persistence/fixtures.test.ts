import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { folder } from './support.ts'

/**
 * Written by version 0.1.0, never to be written anew: `plain` has cheats, steps between
 * transactions, reserved blocks, another chain id, choices for the next blocks, an impersonated
 * account, queued transactions and batches of two wallets; `imported` has uncles, withdrawals and
 * hardforks since proof of work; `forked` and `rollup` are what their names say.
 */
const FILES: Record<string, OptionsInput> = {
  plain: { codeSizeLimit: 30_000 },
  imported: { noWallet: true },
  forked: { noWallet: true },
  rollup: { noWallet: true, profile: 'base-flashblocks' },
}

const FIXTURES = join(import.meta.dirname, 'fixtures')

const read = (name: string) => readFileSync(join(FIXTURES, name), 'utf8')

/** What the chain answers of its newest blocks, of its accounts in each, and of what waits. */
async function answersOf(devnet: Devnet): Promise<unknown[]> {
  const ask = (method: string, ...params: unknown[]) => devnet.provider.request({ method, params })
  const head = Number(await ask('eth_blockNumber'))
  const numbers = Array.from({ length: 5 }, (_, index) => head - index)
  const blocks = numbers.filter((number) => number >= 0).map((number) => `0x${number.toString(16)}`)
  const answers = [await ask('eth_getBlockByNumber', 'pending', true), await ask('txpool_content')]
  for (const block of [...blocks, 'pending']) {
    answers.push(await ask('eth_getBlockReceipts', block))
    for (const address of ADDRESSES) {
      const account = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) =>
        ask(method, address, block),
      )
      const slots = ['0x0', '0x5', '0x7'].map((slot) =>
        ask('eth_getStorageAt', address, slot, block),
      )
      // A fork without its upstream does not know each of them.
      const settled = await Promise.allSettled([...account, ...slots])
      answers.push(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'unknown')))
    }
  }
  return answers
}

/** Those that some file's commands have changed. */
const ADDRESSES = [
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  ...['c0', 'c1', 'c2', 'c6', 'd1', 'd5', 'ee'].map((byte) => `0x${byte.repeat(20)}`),
]

test.each(Object.entries(FILES))(
  '%s.json loads with the same state, and is written the same',
  async (name, options) => {
    const state = join(folder(), 'state.json')
    copyFileSync(join(FIXTURES, `${name}.json`), state)
    const devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true, state, ...options })
    onTestFinished(() => devnet.stop())
    await devnet.start()
    const answers = await answersOf(devnet)
    expect(answers).toMatchObject(JSON.parse(read(`${name}.answers.json`)))
    await devnet.stop()
    expect(readFileSync(state, 'utf8')).toBe(read(`${name}.json`))
  },
)
