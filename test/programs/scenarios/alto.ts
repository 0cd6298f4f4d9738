// Deploys the contracts of ERC-4337, starts the bundler Alto, and sends an operation through it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
} from 'viem'
import { createBundlerClient, getUserOperationHash } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { startServer } from './server.ts'
import { key, url } from './support.ts'

const require = createRequire(import.meta.url)
const transport = http(url)
const client = createPublicClient({ chain: hardhat, transport, pollingInterval: 250 })
const owner = privateKeyToAccount(key)
const wallet = createWalletClient({ chain: hardhat, transport, account: owner })
const [executor, utility, receiver] = [0, 1, 2].map(generatePrivateKey)
if (executor === undefined || utility === undefined || receiver === undefined) throw new Error()

interface Contract {
  readonly abi: Abi
  readonly bytecode: Hex
}

function contract(name: string): Contract {
  const file = require.resolve(`@account-abstraction/contracts/artifacts/${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function deploy({ abi, bytecode }: Contract, ...args: unknown[]): Promise<Hex> {
  const hash = await wallet.deployContract({ abi, bytecode, args })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (typeof contractAddress !== 'string') throw new Error('The receipt names no contract.')
  return contractAddress
}

async function fund(to: Hex) {
  const hash = await wallet.sendTransaction({ to, value: 10n ** 18n })
  await client.waitForTransactionReceipt({ hash })
}

for (const each of [executor, utility]) await fund(privateKeyToAccount(each).address)
const factoryAbi = contract('SimpleAccountFactory')
const entryPoint = await deploy(contract('EntryPoint'))
const factory = await deploy(factoryAbi, entryPoint)

await using bundler = await startServer({
  package: '@pimlico/alto/esm/cli/alto.js',
  args: (port) => [
    ...['run', '--entrypoints', entryPoint, '--rpc-url', url, '--port', String(port)],
    ...['--executor-private-keys', executor, '--utility-private-key', utility],
    ...['--safe-mode', 'false', '--json', 'true', '--log-level', 'warn'],
  ],
  ready: '/health',
})

const created = { functionName: 'createAccount', args: [owner.address, 0n] } as const
const sender = await client.readContract({
  address: factory,
  abi: factoryAbi.abi,
  functionName: 'getAddress',
  args: created.args,
})
await fund(sender as Hex)
const to = privateKeyToAccount(receiver).address
const operation = {
  sender: sender as Hex,
  nonce: 0n,
  factory,
  factoryData: encodeFunctionData({ abi: factoryAbi.abi, ...created }),
  callData: encodeFunctionData({
    abi: contract('SimpleAccount').abi,
    functionName: 'execute',
    args: [to, 7n, '0x'],
  }),
  callGasLimit: 100_000n,
  verificationGasLimit: 1_000_000n,
  preVerificationGas: 200_000n,
  maxFeePerGas: 10n ** 10n,
  maxPriorityFeePerGas: 2n * 10n ** 9n,
  signature: '0x' as Hex,
}
operation.signature = await owner.signMessage({
  message: {
    raw: getUserOperationHash({
      chainId: hardhat.id,
      entryPointAddress: entryPoint,
      entryPointVersion: '0.7',
      userOperation: operation,
    }),
  },
})
const bundlerClient = createBundlerClient({ chain: hardhat, transport: http(bundler.url) })
const hash = await bundlerClient.sendUserOperation({
  entryPointAddress: entryPoint,
  ...operation,
})
const { success } = await bundlerClient.waitForUserOperationReceipt({ hash, timeout: 30_000 })
if (!success) throw new Error('The operation failed.')
const balance = await client.getBalance({ address: to, blockTag: 'pending' })
if (balance !== 7n) throw new Error(`wrong balance: ${balance}`)
