import { createHash } from 'node:crypto'
import { JsonRpcProvider } from 'ethers'
import { concat, encodeFunctionData, getContractAddress, type Hex, keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import { createStage, NOBODY, type Stage, underBoth } from './stage.ts'

const FACTORY: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const playground = artifact('Playground')

const rpc = ({ devnet }: Stage, method: string, ...params: unknown[]) =>
  devnet.provider.request({ method, params })

/** What a program returns, or why it fails. */
async function run(stage: Stage, code: Hex): Promise<unknown> {
  await rpc(stage, 'hardhat_setCode', NOBODY, code)
  const request = { to: NOBODY, gas: '0xf4240' }
  return await rpc(stage, 'eth_call', request, 'latest').catch((error: Error) => error.message)
}

describe('a header', () => {
  test('has blockAccessListHash and slotNumber, which viem and ethers pass by', async () => {
    const { bpo2, amsterdam } = await underBoth(async (stage) => {
      await stage.send({ to: stage.other, value: 1n })
      const block = Object(await rpc(stage, 'eth_getBlockByNumber', 'latest', false))
      const list = Object(await rpc(stage, 'eth_getBlockByNumber', 'earliest', false))
      const provider = new JsonRpcProvider(stage.devnet.url)
      const ofEthers = await provider.getBlock('latest')
      provider.destroy()
      const ofViem = await stage.client.getBlock()
      return {
        hasHash: 'blockAccessListHash' in block,
        slots: [list.slotNumber, block.slotNumber].map((slot) => slot && Number(slot)),
        same: [ofEthers?.hash, ofViem.hash].every((hash) => hash === block.hash),
      }
    })
    expect(bpo2).toEqual({ hasHash: false, slots: [undefined, undefined], same: true })
    expect(amsterdam).toEqual({ hasHash: true, slots: [0, 1], same: true })
  })

  test('has the hash of the access list that debug_getRawBlockAccessList answers', async () => {
    await using stage = await createStage('amsterdam')
    await stage.send({ to: stage.other, value: 1n })
    const { blockAccessListHash } = Object(
      await rpc(stage, 'eth_getBlockByNumber', 'latest', false),
    )
    const raw = await rpc(stage, 'debug_getRawBlockAccessList', 'latest')
    expect(keccak256(String(raw) as Hex)).toBe(blockAccessListHash)
  })

  test('has the hash of no requests, with builder requests or without', async () => {
    const hashes = await underBoth(async (stage) => {
      await stage.send({ to: stage.other, value: 1n })
      return Object(await rpc(stage, 'eth_getBlockByNumber', 'latest', false)).requestsHash
    })
    const none = `0x${createHash('sha256').digest('hex')}`
    expect(hashes).toEqual({ bpo2: none, amsterdam: none })
  })

  test('commits to requests of builders, who call a contract of their own', async () => {
    const exit: Hex = '0x000064d678505ad48f8ccb093bc65613800e8282'
    await using stage = await createStage('amsterdam')
    const fee = BigInt(String(await rpc(stage, 'eth_call', { to: exit }, 'latest')))
    const key: Hex = `0x${'11'.repeat(48)}`
    const receipt = await stage.send({ to: exit, data: key, value: fee, gas: 1_000_000n })
    expect(receipt.status).toBe('success')
    const { requestsHash } = Object(await rpc(stage, 'eth_getBlockByNumber', 'latest', false))
    // EIP-7685: the type, then who called, and the key.
    const request = concat(['0x04', stage.account.address, key])
    const sha256 = (bytes: Hex) => createHash('sha256').update(bytes.slice(2), 'hex').digest('hex')
    expect(requestsHash).toBe(`0x${sha256(`0x${sha256(request)}`)}`)
  })
})

describe('opcodes that were invalid', () => {
  test('SLOTNUM, 0x4b, returns the slot of the block', async () => {
    const answers = await underBoth((stage) => run(stage, '0x4b5f5260205ff3'))
    expect(answers.bpo2).toMatch(/invalid opcode/)
    expect(answers.amsterdam).toBe(toHex(0, { size: 32 }))
  })

  test('DUPN and SWAPN, 0xe6 and 0xe7, reach deeper than 16 items', async () => {
    const programs: readonly (readonly [code: Hex, returned: number])[] = [
      // 1, then 16 zeros: the 17th item.
      ['0x60015f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5fe6805f5260205ff3', 1],
      // The same with 7 on top, which changes places with the 18th.
      ['0x60015f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f6007e7805f5260205ff3', 1],
    ]
    for (const [code, returned] of programs) {
      const answers = await underBoth((stage) => run(stage, code))
      expect(answers.bpo2).toMatch(/invalid opcode/)
      expect(answers.amsterdam).toBe(toHex(returned, { size: 32 }))
    }
  })

  test('EXCHANGE, 0xe8, swaps two items below the top', async () => {
    // 2, 1, 0: after the exchange of the 2nd and the 3rd, the 2nd is 2.
    const answers = await underBoth((stage) => run(stage, '0x600260015fe88e505f5260205ff3'))
    expect(answers.bpo2).toMatch(/invalid opcode/)
    expect(answers.amsterdam).toBe(toHex(2, { size: 32 }))
  })
})

describe('SELFDESTRUCT', () => {
  test('to itself, in the transaction that made it, keeps the ether', async () => {
    const { bpo2, amsterdam } = await underBoth(async ({ client, send, account }) => {
      const nonce = BigInt(await client.getTransactionCount({ address: account.address }))
      const made = getContractAddress({ from: account.address, nonce })
      // ADDRESS, SELFDESTRUCT.
      const { status } = await send({ data: '0x30ff', value: 5n, gas: 1_000_000n })
      return { status, balance: await client.getBalance({ address: made }) }
    })
    expect(bpo2).toEqual({ status: 'success', balance: 0n })
    expect(amsterdam).toEqual({ status: 'success', balance: 5n })
  })

  test('to another account, in the transaction that made it, still deletes the code', async () => {
    const codes = await underBoth(async (stage) => {
      const to = await stage.deploy('Playground')
      const data = encodeFunctionData({
        abi: playground.abi,
        functionName: 'create',
        args: [1n, stage.other],
      })
      const { status } = await stage.send({ to, data, gas: 5_000_000n })
      const last = await stage.client.readContract({
        address: to,
        abi: playground.abi,
        functionName: 'last',
      })
      return [status, await stage.client.getCode({ address: String(last) as Hex })]
    })
    expect(codes).toEqual({ bpo2: ['success', undefined], amsterdam: ['success', undefined] })
  })
})

test('the factory at 0x4e59… is there, as this node has it under every hardfork', async () => {
  const deployed = await underBoth(async ({ client, send }) => {
    const has = (await client.getCode({ address: FACTORY })) !== undefined
    const init: Hex = '0x60015ff3'
    const salt = toHex(1, { size: 32 })
    await send({ to: FACTORY, data: concat([salt, init]), gas: 1_000_000n })
    const made = getContractAddress({ from: FACTORY, bytecode: init, salt, opcode: 'CREATE2' })
    return { has, made: await client.getCode({ address: made }) }
  })
  const expected = { has: true, made: '0x00' }
  expect(deployed).toEqual({ bpo2: expected, amsterdam: expected })
})

test('CREATE makes a contract without storage at an address that a cheat gave some, under both', async () => {
  const outcome = await underBoth(async (stage) => {
    const { client, send, account } = stage
    const nonce = BigInt(await client.getTransactionCount({ address: account.address }))
    const made = getContractAddress({ from: account.address, nonce })
    const slot = toHex(0, { size: 32 })
    await rpc(stage, 'hardhat_setStorageAt', made, '0x0', toHex(1, { size: 32 }))
    const { status } = await send({ data: '0x60015ff3', gas: 1_000_000n })
    return [status, await client.getStorageAt({ address: made, slot })]
  })
  const expected = ['success', toHex(0, { size: 32 })]
  expect(outcome).toEqual({ bpo2: expected, amsterdam: expected })
})
