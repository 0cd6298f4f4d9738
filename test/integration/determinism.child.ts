// One of the two processes of determinism.test.ts: prints every block hash of a fixed session.

import { getContractAddress } from 'viem'
import { createDevnet } from '../../devnet/index.ts'
import { RandomTraffic } from '../devnet/chain/randomTraffic.ts'

const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000 })
await devnet.start()
const traffic = new RandomTraffic(42, devnet.accounts.slice(0, 5), 31337)
const [deployer = '0x'] = traffic.addresses
const targets = {
  token: getContractAddress({ from: deployer, nonce: 0n }),
  playground: getContractAddress({ from: deployer, nonce: 1n }),
}
const send = (raw: string) =>
  devnet.provider.request({ method: 'eth_sendRawTransaction', params: [raw] })
for (const raw of await traffic.deployments()) await send(raw)
const hashes: string[] = []
devnet.on('seal', ({ hash }) => hashes.push(hash))
for (let step = 0; step < 30; step++) {
  for (let count = 0; count < 4; count++) await send(await traffic.next(targets))
  await devnet.clock.advance({ ticks: 1 + (step % 3) })
  if (step % 7 === 3) {
    const id = await devnet.provider.request({ method: 'evm_snapshot' })
    await devnet.clock.advance({ blocks: 1 })
    await devnet.provider.request({ method: 'evm_revert', params: [id] })
  }
  await devnet.clock.seal()
}
await devnet.stop()
console.log(hashes.join('\n'))
