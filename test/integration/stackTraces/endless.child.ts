import { pathToFileURL } from 'node:url'
import type { HardhatUserConfig } from 'hardhat/config'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { createDevnet } from '../../../devnet/index.ts'

/**
 * Runs all calls without end on one network of a compiled project, and prints a line of JSON for
 * each: what crashes ends this process, and not that of the test.
 */
const [folder = '', verbosity = '2', network = ''] = process.argv.slice(2)
const config = `${folder}/hardhat.config.ts`
const loaded: { default: HardhatUserConfig } = await import(pathToFileURL(config).href)
const hre = await createHardhatRuntimeEnvironment(
  loaded.default,
  { config, verbosity: Number(verbosity) },
  folder,
)

const isHttp = network === 'http'
const devnet = createDevnet({ port: 0, instant: true })
if (isHttp) await devnet.start()
const connection = await (isHttp
  ? hre.network.create({ network: 'localhost', override: { url: devnet.url } })
  : hre.network.create(network))
const rpc = (method: string, ...params: unknown[]) =>
  connection.provider.request({ method, params })

const UPGRADE = parseAbi(['function upgrade(address to)'])
const [from] = (await rpc('eth_accounts')) as string[]
const { viem } = connection
const { address: endless } = await viem.deployContract('Endless')
const targets: Address[] = []
for (let count = 0; count < 3; count++) {
  targets.push((await viem.deployContract('SlotProxy')).address)
}
const [self = '0x', one = '0x', other = '0x'] = targets
for (const [to, next] of [
  [self, self],
  [one, other],
  [other, one],
] as const) {
  const data = encodeFunctionData({ abi: UPGRADE, args: [next] })
  await rpc('eth_sendTransaction', { from, to, data, gas: '0x186a0' })
}
const { bytecode } = await hre.artifacts.readArtifact('EndlessCreation')

const families: Readonly<Record<string, object>> = {
  call: { to: endless, data: '0x0100' },
  delegatecall: { to: endless, data: '0x0200' },
  staticcall: { to: endless, data: '0x0300' },
  callcode: { to: endless, data: '0x0400' },
  'call that succeeds': { to: endless, data: '0x0101' },
  'call that takes all gas': { to: endless, data: '0x0102' },
  creation: { data: bytecode },
  'proxy to itself': { to: self, data: '0x12345678' },
  'proxies to each other': { to: one, data: '0x12345678' },
}

const ways: Readonly<Record<string, (request: object) => Promise<unknown>>> = {
  call: (request) => rpc('eth_call', request, 'pending'),
  estimate: (request) => rpc('eth_estimateGas', request),
  send: (request) => rpc('eth_sendTransaction', request),
  'send with gas': async (request) => {
    const hash = await rpc('eth_sendTransaction', { ...request, gas: '0xf00000' })
    if (isHttp || network === 'instant') return hash
    const error = await connection.pendingNode.failure(hash as `0x${string}`)
    if (error !== undefined) throw error
    return hash
  },
}

for (const [family, request] of Object.entries(families)) {
  for (const [way, run] of Object.entries(ways)) {
    const outcome = await run({ from, ...request }).then(
      () => 'success',
      (error) => `${error.name}: ${error.message}`,
    )
    process.stdout.write(`${JSON.stringify({ family, way, outcome })}\n`)
  }
}
await connection.close()
if (isHttp) await devnet.stop()
const megabytes = Math.round(process.resourceUsage().maxRSS / 1000)
process.stdout.write(`${JSON.stringify({ megabytes })}\n`)
