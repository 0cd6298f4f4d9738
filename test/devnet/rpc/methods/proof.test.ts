import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { keccak256, toBytes } from 'viem'
import { expect, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import { bytesToBigInt } from '../../../../devnet/primitives/bytes.ts'
import { fromHex, type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { Random } from '../../../support/random.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

interface Proof {
  readonly address: Hex
  readonly accountProof: Hex[]
  readonly balance: Hex
  readonly codeHash: Hex
  readonly nonce: Hex
  readonly storageHash: Hex
  readonly storageProof: { readonly key: Hex; readonly value: Hex; readonly proof: Hex[] }[]
}

const CODE: Hex = `0x${'c0de'.padStart(40, '0')}`
const STRANGER: Hex = `0x${'ab'.repeat(20)}`
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const EMPTY_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

const slot = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** What the trie with this root holds under the hash of `key`, by the library's own verification. */
async function proven(root: Hex, key: Hex, proof: readonly Hex[]): Promise<Uint8Array | null> {
  expect(keccak256(proof[0] ?? '0x')).toBe(root)
  return verifyMerkleProof(toBytes(keccak256(key)), proof.map(fromHex))
}

/** Holds an answer of `eth_getProof` against a state root. */
async function verify(root: Hex, answer: Proof): Promise<void> {
  const account = await proven(root, answer.address, answer.accountProof)
  const values = [
    BigInt(answer.nonce),
    BigInt(answer.balance),
    fromHex(answer.storageHash),
    fromHex(answer.codeHash),
  ]
  if (account !== null) expect(toHex(account)).toBe(toHex(RLP.encode(values)))
  else expect([answer.nonce, answer.balance]).toEqual(['0x0', '0x0'])
  for (const { key, value, proof } of answer.storageProof) {
    if (answer.storageHash === EMPTY_ROOT) {
      expect({ value, proof }).toEqual({ value: '0x0', proof: [] })
      continue
    }
    const word: Hex = `0x${key.slice(2).padStart(64, '0')}`
    const leaf = await proven(answer.storageHash, word, proof)
    expect(leaf === null ? '0x0' : hex(bytesToBigInt(RLP.decode(leaf) as Uint8Array))).toBe(value)
  }
}

const prove = ({ call }: RpcChain, address: Hex, slots: unknown[] = [], ...block: unknown[]) =>
  call<Proof>('eth_getProof', address, slots, ...block)

async function rootOf({ call }: RpcChain, block: string): Promise<Hex> {
  return (await call<FormattedBlock>('eth_getBlockByNumber', block, false)).stateRoot
}

/** The root that a proof leads to. */
const rootIn = ({ accountProof }: Proof) => keccak256(accountProof[0] ?? '0x')

/** A contract with slots 1 to 40, sealed in block 1. */
async function createWithStorage() {
  const node = await createRpcChain()
  await node.call('hardhat_setCode', CODE, '0x6000')
  for (let index = 1; index <= 40; index++) {
    await node.call('hardhat_setStorageAt', CODE, hex(index), slot(index * 1000))
  }
  await node.call('preconf_advance', { blocks: 1 })
  return node
}

test('default: the proofs lead to the state root of the block', async () => {
  const node = await createWithStorage()
  const answer = await prove(node, CODE, [slot(7), slot(99)])
  expect(answer).toMatchObject({
    address: CODE,
    nonce: '0x0',
    balance: '0x0',
    codeHash: keccak256('0x6000'),
    storageProof: [
      { key: slot(7), value: hex(7000) },
      { key: slot(99), value: '0x0' },
    ],
  })
  const root = await rootOf(node, 'latest')
  await verify(root, answer)
  await verify(root, await prove(node, node.account(3).address, [slot(0)], 'latest'))
})

test('an account that does not exist', async () => {
  const node = await createWithStorage()
  const answer = await prove(node, STRANGER, [slot(0)])
  expect(answer).toEqual({
    address: STRANGER,
    accountProof: expect.any(Array),
    balance: '0x0',
    codeHash: EMPTY_CODE,
    nonce: '0x0',
    storageHash: EMPTY_ROOT,
    storageProof: [{ key: slot(0), value: '0x0', proof: [] }],
  })
  await verify(await rootOf(node, 'latest'), answer)
})

test('args: block, every one that is kept', async () => {
  const node = await createWithStorage()
  const { address } = node.account(0)
  for (let index = 0; index < 5; index++) {
    await node.call('eth_sendTransaction', { from: address, to: STRANGER, value: '0x1' })
    await node.call('preconf_advance', { blocks: 1 })
  }
  for (let number = 0; number <= 6; number++) {
    const root = await rootOf(node, hex(number))
    const answer = await prove(node, STRANGER, [], hex(number))
    expect(answer.balance).toBe(hex(Math.max(0, number - 1)))
    await verify(root, answer)
    await verify(root, await prove(node, CODE, [slot(3)], hex(number)))
  }
  const refused = await node.failure('eth_getProof', CODE, [], '0x7')
  expect(refused).toEqual({ code: -32001, message: 'block not found: 0x7' })
})

test('args: slots are shown as they were asked for, as in geth', async () => {
  const node = await createWithStorage()
  const keys = async (...slots: string[]) =>
    (await prove(node, CODE, slots)).storageProof.map(({ key, value }) => [key, value])
  expect(await keys('0x7', '0x07', '0x0007', slot(7), '0x0', '0x00')).toEqual([
    ['0x7', hex(7000)],
    ['0x7', hex(7000)],
    ['0x7', hex(7000)],
    [slot(7), hex(7000)],
    ['0x0', '0x0'],
    ['0x0', '0x0'],
  ])
  const slots = (count: number) => Array.from({ length: count }, (_, index) => hex(index))
  expect((await keys(...slots(1024))).length).toBe(1024)
  expect(await node.failure('eth_getProof', CODE, slots(1025))).toEqual({
    code: -32602,
    message: 'too many storage keys requested (max 1024, got 1025)',
  })
})

test('pending proves the pre-confirmed state, which the next seal commits to', async () => {
  const node = await createWithStorage()
  const { call, chain } = node
  const from = node.account(0).address
  const before = rootIn(await prove(node, STRANGER, [], 'pending'))
  await call('eth_sendTransaction', { from, to: STRANGER, value: '0x5' })
  // SSTORE(1, 2).
  await call('hardhat_setCode', CODE, '0x6002600155')
  await call('eth_sendTransaction', { from, to: CODE })
  await call('preconf_advance', { ticks: 1 })
  const pending = await prove(node, STRANGER, [], 'pending')
  const contract = await prove(node, CODE, [slot(1), slot(2)], 'pending')
  expect(pending.balance).toBe('0x5')
  expect(contract.storageProof.map(({ value }) => value)).toEqual(['0x2', hex(2000)])
  expect(rootIn(pending)).not.toBe(before)
  const root = rootIn(pending)
  await verify(root, pending)
  await verify(root, contract)
  expect((await prove(node, STRANGER, [], 'latest')).balance).toBe('0x0')
  await call('preconf_seal')
  expect(toHex(chain.head.header.stateRoot)).toBe(root)
})

test('latest shows what cheats have laid over the newest block, older blocks do not', async () => {
  const node = await createWithStorage()
  await node.call('hardhat_setBalance', STRANGER, '0x9')
  await node.call('hardhat_setStorageAt', CODE, '0x1', slot(5))
  const cheated = await prove(node, STRANGER)
  expect(cheated.balance).toBe('0x9')
  expect((await prove(node, CODE, ['0x1'])).storageProof[0]?.value).toBe('0x5')
  const root = await rootOf(node, '0x1')
  expect(rootIn(cheated)).not.toBe(root)
  await verify(rootIn(cheated), cheated)
  await node.call('preconf_advance', { blocks: 1 })
  const old = await prove(node, STRANGER, [], '0x1')
  expect(old.balance).toBe('0x0')
  await verify(root, old)
  await verify(await rootOf(node, 'latest'), await prove(node, STRANGER))
})

test.each([1, 2, 3])(
  'pending and the next block agree, whatever was done before (seed %i)',
  async (seed) => {
    const node = await createWithStorage()
    const { call, chain } = node
    const random = new Random(seed)
    const snapshots: unknown[] = []
    const account = () => node.account(random.below(4)).address
    for (let step = 0; step < 60; step++) {
      switch (random.below(6)) {
        case 0:
        case 1:
          await call('eth_sendTransaction', { from: account(), to: account(), value: hex(step) })
          break
        case 2:
          await call('preconf_advance', { ticks: 1 })
          break
        case 3:
          await call('hardhat_setStorageAt', CODE, hex(random.below(50)), slot(random.below(3)))
          break
        case 4:
          snapshots.push(await call('evm_snapshot'))
          break
        default:
          if (random.once(2) && snapshots.length > 0) await call('evm_revert', snapshots.pop())
          else await call('hardhat_setBalance', account(), hex(10n ** 20n + BigInt(step)))
      }
      const proof = await prove(node, CODE, [slot(1)], 'pending')
      const balance = await prove(node, node.account(0).address, [], 'pending')
      expect(balance.balance).toBe(await call('eth_getBalance', balance.address, 'pending'))
      expect(rootIn(balance)).toBe(rootIn(proof))
      await verify(rootIn(proof), proof)
      if (random.once(6)) {
        await call('preconf_seal')
        expect(toHex(chain.head.header.stateRoot)).toBe(rootIn(proof))
      }
    }
  },
)

test('default: eth_getAccount, which eth_getProof proves', async () => {
  const node = await createWithStorage()
  const { nonce, balance, codeHash, storageHash } = await prove(node, CODE)
  expect(await node.call('eth_getAccount', CODE)).toEqual({
    nonce,
    balance,
    storageRoot: storageHash,
    codeHash,
  })
  expect(await node.call('eth_getAccount', STRANGER, 'pending')).toEqual({
    nonce: '0x0',
    balance: '0x0',
    storageRoot: EMPTY_ROOT,
    codeHash: EMPTY_CODE,
  })
  expect(await node.call('eth_getAccount', CODE, 'earliest')).toMatchObject({
    codeHash: EMPTY_CODE,
  })
})

test('default: eth_getAccountInfo', async () => {
  const node = await createWithStorage()
  const from = node.account(0).address
  await node.call('eth_sendTransaction', { from, to: STRANGER, value: '0x7' })
  await node.call('preconf_advance', { ticks: 1 })
  expect(await node.call('eth_getAccountInfo', CODE)).toEqual({
    balance: '0x0',
    nonce: '0x0',
    code: '0x6000',
  })
  expect(await node.call('eth_getAccountInfo', STRANGER, 'latest')).toEqual({
    balance: '0x0',
    nonce: '0x0',
    code: '0x',
  })
  expect(await node.call('eth_getAccountInfo', STRANGER, 'pending')).toMatchObject({
    balance: '0x7',
  })
  expect(await node.call('eth_getAccountInfo', from, 'pending')).toMatchObject({ nonce: '0x1' })
})

test('default: eth_getStorageValues', async () => {
  const node = await createWithStorage()
  expect(
    await node.call('eth_getStorageValues', {
      [CODE]: ['0x2', slot(1), '0x63'],
      [STRANGER.toUpperCase().replace('X', 'x')]: [slot(0)],
    }),
  ).toEqual({ [CODE]: [slot(2000), slot(1000), slot(0)], [STRANGER]: [slot(0)] })
  // SSTORE(2, 5).
  await node.call('hardhat_setCode', CODE, '0x6005600255')
  await node.call('eth_sendTransaction', { from: node.account(0).address, to: CODE })
  await node.call('preconf_advance', { ticks: 1 })
  const second = (block: string) => node.call('eth_getStorageValues', { [CODE]: ['0x2'] }, block)
  expect(await second('latest')).toEqual({ [CODE]: [slot(2000)] })
  expect(await second('pending')).toEqual({ [CODE]: [slot(5)] })
  for (const empty of [{}, { [CODE]: [] }]) {
    expect(await node.failure('eth_getStorageValues', empty)).toEqual({
      code: -32602,
      message: 'empty request',
    })
  }
  const slots = Array.from({ length: 513 }, (_, index) => hex(index))
  expect(await node.failure('eth_getStorageValues', { [CODE]: slots, [STRANGER]: slots })).toEqual({
    code: -32005,
    message: 'too many slots (max 1024, got 1026)',
  })
})
