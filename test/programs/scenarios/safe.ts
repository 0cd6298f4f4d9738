// Deploys the contracts of Safe, then an account with one owner, and sends two transactions from it.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import protocolKit from '@safe-global/protocol-kit'
import { type Abi, createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { key, other, sender, url } from './support.ts'

const require = createRequire(import.meta.url)
const client = createPublicClient({ chain: hardhat, transport: http(url), pollingInterval: 250 })
const account = privateKeyToAccount(key)
const wallet = createWalletClient({
  chain: hardhat,
  transport: http(url),
  pollingInterval: 250,
  account,
})

async function deploy(path: string): Promise<Hex> {
  const file = require.resolve(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`)
  const { abi, bytecode }: { abi: Abi; bytecode: Hex } = JSON.parse(readFileSync(file, 'utf8'))
  const hash = await wallet.deployContract({ abi, bytecode })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (typeof contractAddress !== 'string') throw new Error('The receipt names no contract.')
  return contractAddress
}

const addresses = {
  safeSingletonAddress: await deploy('Safe.sol/Safe'),
  safeProxyFactoryAddress: await deploy('proxies/SafeProxyFactory.sol/SafeProxyFactory'),
  multiSendAddress: await deploy('libraries/MultiSend.sol/MultiSend'),
  multiSendCallOnlyAddress: await deploy('libraries/MultiSendCallOnly.sol/MultiSendCallOnly'),
  fallbackHandlerAddress: await deploy(
    'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
  ),
  signMessageLibAddress: await deploy('libraries/SignMessageLib.sol/SignMessageLib'),
  createCallAddress: await deploy('libraries/CreateCall.sol/CreateCall'),
  simulateTxAccessorAddress: await deploy('accessors/SimulateTxAccessor.sol/SimulateTxAccessor'),
}
// Node.js imports the class as the default; the types are those of the package's CommonJS form.
const Safe = protocolKit as unknown as typeof protocolKit.default
const contractNetworks = { [hardhat.id]: addresses }
const predicted = await Safe.init({
  provider: url,
  signer: key,
  predictedSafe: { safeAccountConfig: { owners: [sender], threshold: 1 } },
  contractNetworks,
})
const deployment = await predicted.createSafeDeploymentTransaction()
const hash = await wallet.sendTransaction({
  to: deployment.to as Hex,
  value: BigInt(deployment.value),
  data: deployment.data as Hex,
})
await client.waitForTransactionReceipt({ hash })
const safeAddress = await predicted.getAddress()
const funding = await wallet.sendTransaction({ to: safeAddress as Hex, value: 100n })
await client.waitForTransactionReceipt({ hash: funding })
const safe = await Safe.init({ provider: url, signer: key, safeAddress, contractNetworks })
for (const value of ['1', '2']) {
  const made = await safe.createTransaction({
    transactions: [{ to: other, value, data: '0x' }],
  })
  const executed = await safe.executeTransaction(await safe.signTransaction(made))
  await client.waitForTransactionReceipt({ hash: executed.hash as Hex })
}
const left = await client.getBalance({ address: safeAddress as Hex, blockTag: 'pending' })
if (left !== 97n) throw new Error(`wrong balance of the account: ${left}`)
