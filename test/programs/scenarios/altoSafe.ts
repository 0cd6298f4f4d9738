// Deploys the EntryPoints of ERC-4337 where they are on every chain, starts the bundler Alto in safe
// mode, and sends operations of a simple account, of one with a paymaster, and of an EIP-7702 account.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Abi,
  concat,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  http,
  zeroHash,
} from 'viem'
import {
  createBundlerClient,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Address,
  getUserOperationHash,
  type SmartAccount,
  toSimple7702SmartAccount,
  toSmartAccount,
} from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { startServer } from './server.ts'
import { key, url } from './support.ts'

const require = createRequire(import.meta.url)
const transport = http(url)
const client = createPublicClient({ chain: hardhat, transport, pollingInterval: 250 })
const owner = privateKeyToAccount(key)
const wallet = createWalletClient({ chain: hardhat, transport, account: owner })
const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** Where the deterministic deployer is on every chain. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

interface Contract {
  readonly abi: Abi
  readonly bytecode: Hex
}

function contract(version: '0.7' | '0.8', name: string): Contract {
  const place = version === '0.7' ? '@account-abstraction/contracts' : 'account-abstraction-0.8'
  return JSON.parse(readFileSync(require.resolve(`${place}/artifacts/${name}.json`), 'utf8'))
}

async function send(transaction: { to: Hex; data?: Hex; value?: bigint }) {
  const hash = await wallet.sendTransaction(transaction)
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`The transaction ${hash} failed.`)
}

/** Deploys init code at the address that follows from it and from the salt. */
async function deploy(bytecode: Hex, salt: Hex = zeroHash): Promise<Hex> {
  await send({ to: DEPLOYER, data: concat([salt, bytecode]) })
  return getCreate2Address({ from: DEPLOYER, salt, bytecode })
}

async function deployEntryPoint(version: '0.7' | '0.8', address: Hex, salt: Hex) {
  const deployed = await deploy(contract(version, 'EntryPoint').bytecode, salt)
  if (deployed !== address) throw new Error(`EntryPoint ${version} is at ${deployed}.`)
}

await deployEntryPoint(
  '0.7',
  entryPoint07Address,
  '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
)
await deployEntryPoint(
  '0.8',
  entryPoint08Address,
  '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
)
await deploy(contract('0.8', 'Simple7702Account').bytecode)
const factory = contract('0.7', 'SimpleAccountFactory')
const factoryAddress = await deploy(encodeDeployData({ ...factory, args: [entryPoint07Address] }))

/** A paymaster whose code ends with returning that it pays for everything. */
async function deployPaymaster(code = ''): Promise<Hex> {
  const runtime = `${code}60405f5260605ff3`
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const paymaster = await deploy(`0x60${size}600a5f3960${size}5ff3${runtime}`)
  await send({
    to: entryPoint07Address,
    data: encodeFunctionData({
      abi: entryPoint07Abi,
      functionName: 'depositTo',
      args: [paymaster],
    }),
    value: 10n ** 18n,
  })
  return paymaster
}

/** An account of the factory, which its first operation creates. */
async function simpleAccount(): Promise<SmartAccount> {
  const signer = newAccount()
  const create = { abi: factory.abi, functionName: 'createAccount', args: [signer.address, 0n] }
  // The ABI is not known before it is read.
  const address = (await client.readContract({
    ...create,
    address: factoryAddress,
    functionName: 'getAddress',
  })) as Hex
  const refuse = () => Promise.reject(new Error('It signs operations only.'))
  return await toSmartAccount({
    client,
    entryPoint: { abi: entryPoint07Abi, address: entryPoint07Address, version: '0.7' },
    getAddress: async () => address,
    getFactoryArgs: async () => ({
      factory: factoryAddress,
      factoryData: encodeFunctionData(create),
    }),
    encodeCalls: async ([call]) =>
      encodeFunctionData({
        abi: contract('0.7', 'SimpleAccount').abi,
        functionName: 'execute',
        args: [call?.to, call?.value ?? 0n, call?.data ?? '0x'],
      }),
    getStubSignature: () => signer.signMessage({ message: 'stub' }),
    signMessage: refuse,
    signTypedData: refuse,
    signUserOperation: ({ chainId = hardhat.id, ...operation }) =>
      signer.signMessage({
        message: {
          raw: getUserOperationHash({
            chainId,
            entryPointAddress: entryPoint07Address,
            entryPointVersion: '0.7',
            userOperation: { ...operation, sender: address },
          }),
        },
      }),
  })
}

const [executor, utility] = [generatePrivateKey(), generatePrivateKey()]
for (const each of [executor, utility]) {
  await send({ to: privateKeyToAccount(each).address, value: 10n ** 18n })
}
await using bundler = await startServer({
  package: '@pimlico/alto/esm/cli/alto.js',
  args: (port) => [
    ...['run', '--entrypoints', `${entryPoint07Address},${entryPoint08Address}`],
    ...['--rpc-url', url, '--port', String(port)],
    ...['--executor-private-keys', executor, '--utility-private-key', utility],
    ...['--safe-mode', 'true', '--json', 'true', '--log-level', 'warn'],
  ],
  ready: '/health',
  env: { NODE_OPTIONS: `--import ${new URL('altoSafeMode.ts', import.meta.url).href}` },
})
const bundlerClient = createBundlerClient({
  client,
  chain: hardhat,
  transport: http(bundler.url),
  pollingInterval: 250,
})

/** Sends 7 wei to a new account by an operation, and waits for it. */
async function operate(account: SmartAccount, more: object = {}) {
  const to = newAccount().address
  const hash = await bundlerClient.sendUserOperation({
    account,
    calls: [{ to, value: 7n }],
    ...more,
  })
  const { success } = await bundlerClient.waitForUserOperationReceipt({ hash, timeout: 30_000 })
  if (!success) throw new Error('The operation failed.')
  const balance = await client.getBalance({ address: to, blockTag: 'pending' })
  if (balance !== 7n) throw new Error(`wrong balance: ${balance}`)
}

async function refused(words: string, operation: Promise<unknown>) {
  const outcome = await operation.then(
    () => 'accepted',
    (error) => String(error),
  )
  if (!outcome.includes(words)) throw new Error(`not refused with "${words}": ${outcome}`)
}

const paying = await simpleAccount()
await send({ to: paying.address, value: 10n ** 18n })
await operate(paying)
await operate(paying)

const sponsored = await simpleAccount()
await send({ to: sponsored.address, value: 7n })
const free = { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 0n }
// What the rules forbid: TIMESTAMP, and storage of its own without a stake.
for (const [code, words] of [
  ['4250', 'paymaster uses banned opcode: TIMESTAMP'],
  ['5f5450', 'unstaked paymaster accessed paymaster slot'],
] as const) {
  await refused(words, operate(sponsored, { paymaster: await deployPaymaster(code), ...free }))
}
await operate(sponsored, { paymaster: await deployPaymaster(), ...free })

const delegating = newAccount()
await send({ to: delegating.address, value: 10n ** 18n })
const account = await toSimple7702SmartAccount({ client, owner: delegating })
const { address, nonce } = await wallet.prepareAuthorization({
  account: delegating,
  contractAddress: account.authorization.address,
})
const authorization = await delegating.signAuthorization({ address, nonce, chainId: hardhat.id })
await operate(account, { authorization })
await operate(account)
