import { Contract, ContractFactory, type Log } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiled, createStage, type Stage } from './stage.ts'

const { abi, bytecode } = compiled('Playground')

// Filters, polls of eth_getLogs, subscriptions: ethers has a way of its own for each of them.
describe.each(['http', 'http, polling', 'webSocket'] as const)('%s', (connection) => {
  let stage: Stage
  let playground: Contract

  beforeAll(async () => {
    stage = await createStage(connection, { frozen: false, sealInterval: 50 })
    const signer = await stage.provider.getSigner(0)
    const deployed = await new ContractFactory(abi, bytecode, signer).deploy()
    await deployed.waitForDeployment()
    playground = new Contract(await deployed.getAddress(), abi, signer)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Waits until ethers has asked for what it needs to hear of events. */
  function begun(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const asks = ['eth_newFilter', 'eth_newPendingTransactionFilter', 'eth_subscribe']
    const end = stage.devnet.on('request', ({ method }) => {
      if (asks.includes(method ?? '') || connection === 'http, polling') resolve()
    })
    return promise.finally(end)
  }

  test("on('block') has each block once, in order", async () => {
    const numbers: number[] = []
    const enough = Promise.withResolvers<void>()
    await stage.provider.on('block', (number: number) => {
      numbers.push(number)
      if (numbers.length === 3) enough.resolve()
    })
    await enough.promise
    await stage.provider.off('block')
    const [first = 0] = numbers
    expect(numbers.slice(0, 3)).toEqual([first, first + 1, first + 2])
  })

  test('contract.on(event): decoded, once, sealed', async () => {
    const heard: unknown[][] = []
    const two = Promise.withResolvers<void>()
    const ready = begun()
    await playground.on(
      'Stored',
      (slot: bigint, value: bigint, _by: string, payload: { log: Log }) => {
        heard.push([slot, value, payload.log.blockHash])
        if (slot === 2n) two.resolve()
      },
    )
    await ready
    const store = playground.getFunction('store')
    const first = await store.send(1, 10)
    await first.wait()
    const second = await store.send(2, 20)
    await second.wait()
    await two.promise
    await playground.off('Stored')
    const { plain } = stage
    const hashes = await Promise.all(
      [first, second].map(async ({ hash }) => (await plain.getTransactionReceipt(hash))?.blockHash),
    )
    const expected = [
      [1n, 10n, hashes[0]],
      [2n, 20n, hashes[1]],
    ]
    // Where ethers polls and several blocks have come since, it asks for the same logs several times.
    const once = connection === 'http, polling' ? new Map(heard.map((one) => [one[0], one])) : heard
    expect([...once.values()]).toEqual(expected)
  })

  test('once(filter) with an indexed argument', async () => {
    const { promise, resolve } = Promise.withResolvers<bigint>()
    const ready = begun()
    const filter = playground.getEvent('Stored')(7)
    await playground.once(filter, (event: { args: { value: bigint } }) => resolve(event.args.value))
    await ready
    const store = playground.getFunction('store')
    for (const slot of [6, 7]) {
      const response = await store.send(slot, slot * 10)
      await response.wait()
    }
    expect(await promise).toBe(70n)
  })

  test("on('pending') has the hash of what is sent", async () => {
    const { provider, address } = stage
    const heard = Promise.withResolvers<string>()
    const ready = begun()
    await provider.on('pending', heard.resolve)
    await ready
    const signer = await provider.getSigner(1)
    const { hash } = await signer.sendTransaction({ to: address(2) })
    expect(await heard.promise).toBe(hash)
    await provider.off('pending')
  })

  test('once(hash) has the receipt', async () => {
    const { provider, address } = stage
    const signer = await provider.getSigner(2)
    const { hash } = await signer.sendTransaction({ to: address(3) })
    const { promise, resolve } = Promise.withResolvers<object>()
    await provider.once(hash, resolve)
    expect(await promise).toMatchObject({ hash, status: 1 })
    expect(await provider.waitForTransaction(hash, 1)).toMatchObject({ hash, status: 1 })
  })
})
