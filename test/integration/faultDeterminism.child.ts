// One of the two processes of faultDeterminism.test.ts: prints all that a node under faults has shown.

import { getContractAddress } from 'viem'
import { createDevnet, type FaultScript } from '../../devnet/index.ts'
import { RandomTraffic } from '../devnet/chain/randomTraffic.ts'
import { randomScript } from '../devnet/faults/randomScript.ts'

const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000 })
await devnet.start()
const traffic = new RandomTraffic(Number(process.argv[2]), devnet.accounts.slice(0, 5), 31337)
const { addresses, random } = traffic
const [deployer = '0x'] = addresses
const targets = {
  token: getContractAddress({ from: deployer, nonce: 0n }),
  playground: getContractAddress({ from: deployer, nonce: 1n }),
}
const print = (...values: unknown[]) => console.log(JSON.stringify(values))
const request = (method: string, ...params: unknown[]) =>
  devnet.provider.request({ method, params }).catch((error: Error) => error.message)

devnet.on('fault', (event) => print('fault', event))
devnet.on('undo', (event) => print('undo', event))
devnet.on('tick', ({ transactions, block }) =>
  print(
    'tick',
    block,
    transactions.map(({ hash }) => hash),
  ),
)
const stream = new WebSocket(devnet.flashblocksUrl)
const messages: string[] = []
stream.addEventListener('message', ({ data }) => messages.push(String(data)))
await new Promise((resolve) => stream.addEventListener('open', resolve))

for (const raw of await traffic.deployments()) await request('eth_sendRawTransaction', raw)
for (let round = 0; round < 8; round++) {
  const script: FaultScript = randomScript(random, { accounts: addresses, block: round * 4 + 1 })
  // The stream is to come to its end.
  const rules = script.rules.filter(({ kind }) => kind !== 'cutSockets')
  await devnet.faults({ ...script, rules })
  for (let step = 0; step < 4; step++) {
    for (let count = 0; count < 5; count++) {
      print(await request('eth_sendRawTransaction', await traffic.next(targets)))
    }
    await devnet.clock.advance({ ticks: 1 + (step % 3) })
    print(await request('eth_getBalance', deployer), await request('eth_blockNumber'))
    await devnet.clock.seal()
    print('block', await request('eth_getBlockByNumber', 'latest', true))
  }
  // Each process has an instance id of its own.
  const { instanceId: _, ...status } = await devnet.clock.status()
  print('status', status)
  for (const [index, address] of addresses.entries()) {
    traffic.nonces[index] = Number(
      await devnet.provider.request({
        method: 'eth_getTransactionCount',
        params: [address, 'latest'],
      }),
    )
  }
}
const closed = new Promise((resolve) => stream.addEventListener('close', resolve))
await devnet.stop()
await closed
for (const message of messages) print('message', message)
