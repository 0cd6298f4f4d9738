import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import plugin from '../../../plugin/index.ts'

/** What the process holds, after the garbage is gone; MiB. */
export interface Holdings {
  readonly resources: Readonly<Record<string, number>>
  readonly memory: number
}

/** Opens and closes connections in a row, with some work on each, and prints what is held before and after as JSON. */
const rounds = Number(process.argv[2])
const hre = await createHardhatRuntimeEnvironment({ plugins: [plugin] })

async function round(index: number): Promise<void> {
  const transport = index % 2 === 0 ? 'in-process' : 'http'
  const override = { pendingNode: { tickInterval: 5, frozen: true, transport } } as const
  const { provider, pendingNode, close } = await hre.network.create({
    network: 'pending',
    override,
  })
  const [from] = (await provider.request({ method: 'eth_accounts' })) as string[]
  const transaction = { from, to: from, value: '0x1' }
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  await pendingNode.preconfirmed(hash as `0x${string}`)
  await pendingNode.seal()
  await close()
}

async function holdings(): Promise<Holdings> {
  // What has been closed is gone in later turns, and garbage with it.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc?.()
  }
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return { resources, memory: (heapUsed + external + arrayBuffers) / 2 ** 20 }
}

for (let index = 0; index < 10; index++) await round(index)
const before = await holdings()
for (let index = 0; index < rounds; index++) await round(index)
const after = await holdings()
console.log(JSON.stringify({ before, after }))
