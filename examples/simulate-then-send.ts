// Simulates a transaction on the pre-confirmed state, sends it, and compares the results:
//
//   node examples/simulate-then-send.ts
//
// The payment comes from an account whose funds are only pre-confirmed: on "latest" it has none.
import assert from 'node:assert/strict'
import { createDevnet } from 'hardhat-pending-node/devnet'
import { createPublicClient, createWalletClient, custom, defineChain, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'

const devnet = createDevnet({ port: 0, frozen: true })
await devnet.start()
try {
  // With this field viem reads "pending" by default, and so also finds pre-confirmed receipts.
  const chain = defineChain({ ...hardhat, experimental_preconfirmationTime: 200 })
  const transport = custom(devnet.provider)
  const client = createPublicClient({ chain, transport, pollingInterval: 50 })
  const [funder, receiver] = devnet.accounts
  assert(funder !== undefined && receiver !== undefined)
  const payer = privateKeyToAccount(generatePrivateKey())
  const fund = createWalletClient({
    chain,
    transport,
    account: privateKeyToAccount(funder.privateKey),
  })
  const pay = createWalletClient({ chain, transport, account: payer })

  const funding = await fund.sendTransaction({ to: payer.address, value: parseEther('1') })
  await client.waitForTransactionReceipt({ hash: funding })

  const payment = { to: receiver.address, value: parseEther('0.5') }
  const simulate = (blockTag: 'pending' | 'latest') =>
    client.simulateBlocks({
      blocks: [{ calls: [{ account: payer, ...payment }] }],
      traceTransfers: true,
      blockTag,
    })

  await assert.rejects(simulate('latest'), /insufficient funds/)
  const [block] = await simulate('pending')
  const [call] = block?.calls ?? []
  assert(call !== undefined)
  console.log(`simulated: ${call.status}, ${call.gasUsed} gas, ${call.logs?.length} transfer`)

  const hash = await pay.sendTransaction(payment)
  const receipt = await client.waitForTransactionReceipt({ hash })
  console.log(
    `sent:      ${receipt.status}, ${receipt.gasUsed} gas, in block ${receipt.blockNumber}`,
  )
  assert.equal(receipt.status, call.status)
  assert.equal(receipt.gasUsed, call.gasUsed)

  const { latest } = await devnet.clock.seal()
  assert.equal(receipt.blockNumber, BigInt(latest.number))
  console.log(`sealed:    block ${latest.number}`)
} finally {
  await devnet.stop()
}
