import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { artifacts, network } from 'hardhat'

const SUMS = 'project/contracts/Proxies.sol:Sums'

describe('Gas', async () => {
  const { viem, provider } = await network.create()
  const client = await viem.getPublicClient()
  const [wallet] = await viem.getWalletClients()
  const sums = await viem.deployContract('Sums')
  const libraries = { [SUMS]: sums.address }

  it('of overloads, getters, libraries, failures and plain payments', async () => {
    const counter = await viem.deployContract('Counter', [], { libraries })
    await counter.write.add([1n])
    await counter.write.add([2n])
    await counter.write.add([3n, 'note'])
    await counter.read.count()
    await counter.read.many([[1n, 2n, 3n]])
    await assert.rejects(counter.write.fail())
    await assert.rejects(counter.read.fail())
    // On `pending` the transaction fails only after its send.
    await counter.write.fail({ gas: 100_000n }).catch(() => undefined)
    await wallet.sendTransaction({ to: counter.address, value: 1n })
    await wallet.sendTransaction({ to: wallet.account.address, value: 1n })
    await client.estimateContractGas({
      ...counter,
      functionName: 'add',
      args: [5n],
      account: wallet.account,
    })
    const unknown = { to: counter.address, data: '0x12345678' }
    await assert.rejects(provider.request({ method: 'eth_call', params: [unknown, 'pending'] }))
    // The creation of a contract by a call.
    const { bytecode: data } = await artifacts.readArtifact('Proxy')
    const creation = { data: `${data}${'00'.repeat(32)}` }
    await provider.request({ method: 'eth_call', params: [creation, 'pending'] })
  })

  it('of proxies, and proxies of proxies', async () => {
    const counter = await viem.deployContract('Counter', [], { libraries })
    const proxy = await viem.deployContract('Proxy', [counter.address])
    const outer = await viem.deployContract('Proxy', [proxy.address])
    for (const { address } of [proxy, outer]) {
      const seen = await viem.getContractAt('Counter', address)
      await seen.write.add([7n])
      await seen.write.add([3n, 'x'])
      await seen.read.count()
      await assert.rejects(seen.write.fail())
      await wallet.sendTransaction({ to: address, value: 1n })
    }
  })

  it('of what a contract creates, and a proxy without an artifact', async () => {
    const counter = await viem.deployContract('Counter', [], { libraries })
    const factory = await viem.deployContract('Factory', [], { libraries })
    await factory.write.make()
    const made = await viem.getContractAt('Counter', await factory.read.last())
    await made.write.add([1n])
    const { result: address } = await factory.simulate.clone([counter.address])
    await factory.write.clone([counter.address])
    const cloned = await viem.getContractAt('Counter', address)
    await cloned.write.add([1n])
    await cloned.read.count()
  })
})
