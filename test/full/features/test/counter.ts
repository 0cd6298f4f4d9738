import assert from 'node:assert/strict'
import { it } from 'node:test'
import { network } from 'hardhat'
import { BaseError } from 'viem'

it('counts, and explains why it does not', async () => {
  const { viem } = await network.create()
  const counter = await viem.deployContract('Counter')
  await counter.write.add([2n], { gas: 100_000n })
  assert.equal(await counter.read.count(), 2n)
  await assert.rejects(counter.write.take([3n]), (error) => {
    assert.ok(error instanceof BaseError)
    const cause = error.walk()
    assert.ok(cause instanceof Error)
    console.log(Reflect.get(cause, 'solidityStack'))
    const frames =
      /TooMuch\(3, 2\)'?\n +at Counter\._take \(contracts\/Counter\.sol:\d+\)\n +at Counter\.take \(/
    assert.match(String(cause.stack), frames)
    return true
  })
})
