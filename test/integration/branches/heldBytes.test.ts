import { expect, onTestFinished, test } from 'vitest'
import type { Devnet, OptionsInput } from '../../../devnet/index.ts'
import { DevnetNode } from '../../../devnet/node/node.ts'
import { resolveOptions } from '../../../devnet/options/options.ts'
import { Random } from '../../../devnet/primitives/random.ts'
import { askAt, BOB, chainOf, openSocket } from '../../devnet/wallet/support.ts'

const MOST = 16 * 1024 * 1024

async function start(options: OptionsInput): Promise<DevnetNode> {
  const devnet = new DevnetNode(
    resolveOptions({ port: 0, frozen: true, frozenTicks: true, ...options }),
  )
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

/** Code of the error that a request is answered with; `undefined` without one. */
async function codeOf({ provider }: Pick<Devnet, 'provider'>, method: string, params: unknown[]) {
  return await provider.request({ method, params }).then(
    () => undefined,
    ({ code }: { code: number }) => code,
  )
}

const wordsOf = (bytes: number, count: number) =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16).padStart(2 * bytes, '0')}`)

test('the worst of all that is held stays within the bound, and others are served', async () => {
  const random = new Random(7)
  const wallet = { policy: 'approve', autoConnect: true, probe: false } as const
  const devnet = await start({ maxHeldSize: MOST, wallet })
  const [from] = devnet.accounts.map(({ address }) => address)
  const branch = await devnet.branch()
  const sessions = Array.from({ length: 20 }, (_, index) => `${devnet.url}/wallet/s/s${index}`)
  for (const url of sessions) await askAt(url, 'eth_requestAccounts')
  const held = () => devnet.parts.context.chain.held.claimed
  const filter = { address: wordsOf(20, 1000), topics: [wordsOf(32, 1000), wordsOf(32, 1000)] }
  const leaves = `${'{"a":'.repeat(55)}[${Array(6_000).fill(1_000_000).join()}]${'}'.repeat(55)}`
  const text = `{"types":{"A":[]},"primaryType":"A","domain":{},"message":${leaves}}`
  const socket = await openSocket(devnet.url)
  /** Asks a session; answers whether it was refused for lack of room. */
  const askOne = async (method: string, params: unknown[], origin?: string) => {
    const { error } = await askAt(random.pick(sessions), method, params, origin)
    if (error !== undefined && error.code !== -32005) throw new Error(error.message)
    return error?.code
  }
  let nonce = 1
  let count = 0
  const worst = [
    () => codeOf(devnet, 'eth_newFilter', [filter]),
    () => codeOf(devnet, 'evm_snapshot', []),
    () => {
      const data = `0x${'00'.repeat(100_000)}`
      const nonceText = `0x${(nonce++).toString(16)}`
      const fields = { from: BOB, to: BOB, gas: '0x500000', data, nonce: nonceText }
      return codeOf(devnet, 'eth_sendTransaction', [fields])
    },
    async () => {
      const data = random.once(2) ? text : JSON.parse(text)
      const { error } = await askAt(random.pick(sessions), 'eth_signTypedData_v4', [from, data])
      // The types do not fit, so that the node refuses it once the wallet has kept it.
      return error?.code === -32005 ? -32005 : undefined
    },
    async () => (await socket.ask('eth_subscribe', ['logs', filter])).error?.code,
    () => {
      const chainId = `0x${(1_000_000 + count++).toString(16)}` as const
      const icon = `data:image/png;base64,${'A'.repeat(60_000)}`
      return askOne('wallet_addEthereumChain', [chainOf(chainId, { iconUrls: [icon] })])
    },
    () => {
      const origin = `http://localhost:${1024 + (count++ % 60_000)}`
      return askOne('eth_requestAccounts', [], origin)
    },
    () => {
      const id = `${count++}`.padEnd(4_000, 'x')
      const calls = [{ to: BOB, value: '0x1' }]
      return askOne('wallet_sendCalls', [
        { version: '2.0.0', chainId: '0x7a69', from, id, calls, atomicRequired: false },
      ])
    },
  ]
  const refused = worst.map(() => 0)
  while (refused.slice(0, 3).some((count) => count < 3)) {
    const index = random.below(worst.length)
    const code = await worst[index]?.()
    if (code !== undefined) expect(code).toBe(-32005)
    if (code !== undefined) refused[index] = (refused[index] ?? 0) + 1
    expect(held()).toBeLessThanOrEqual(MOST)
  }
  expect(await codeOf(branch, 'eth_newBlockFilter', [])).toBeUndefined()
  expect(await codeOf(branch, 'eth_newFilter', [filter])).toBe(-32005)
  const { result } = await askAt(`${devnet.url}/wallet/s/fresh`, 'eth_requestAccounts')
  expect(result).toEqual([from])
  expect(await codeOf(devnet, 'eth_blockNumber', [])).toBeUndefined()
})

test('counts are of one chain, bytes of the node', async () => {
  const devnet = await start({ maxFilters: 10, mempoolSize: 10 })
  const before = devnet.parts.context.chain.held.claimed
  const branches = await Promise.all(Array.from({ length: 10 }, () => devnet.branch()))
  for (const branch of branches) {
    for (let index = 0; index < 10; index++) {
      expect(await codeOf(branch, 'eth_newBlockFilter', [])).toBeUndefined()
    }
    expect(await codeOf(branch, 'eth_newBlockFilter', [])).toBe(-32005)
  }
  await Promise.all(branches.map((branch) => branch.stop()))
  expect(devnet.parts.context.chain.held.claimed).toBe(before)
})
