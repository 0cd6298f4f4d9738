import { network } from 'hardhat'
import { isAddressEqual } from 'viem'
import { expect, test } from 'vitest'
import 'hardhat-pending-node/vitest'

const NOBODY = '0x00000000000000000000000000000000000a11ce'

// Passes under both hardforks: it names no gas, and looks at the logs of one contract.
test('the till pays an account that did not exist', async () => {
  // The network that HARDHAT_NETWORK names.
  const { viem, pendingNode } = await network.create()
  const [owner] = await viem.getWalletClients()
  const client = await viem.getPublicClient()
  const till = await viem.deployContract('Till')

  await pendingNode.preconfirmed(await owner.sendTransaction({ to: till.address, value: 5n }))
  const { transactionHash } = await pendingNode.preconfirmed(await till.write.pay([NOBODY, 3n]))
  expect(await client.getBalance({ address: NOBODY, blockTag: 'pending' })).toBe(3n)

  // Under Amsterdam the transfer is a log too, in front of the event.
  const { logs } = await client.getTransactionReceipt({ hash: transactionHash })
  expect(logs.filter(({ address }) => isAddressEqual(address, till.address))).toHaveLength(1)
})
