import { encodeDeployData, encodeFunctionData, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { TransactionDetails } from '../../../devnet/dashboard/methods/transaction.ts'
import type { OptionsInput } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

const CAROL = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

async function start(options: OptionsInput = {}) {
  const contracts = sourceOf('Ledger', 'Front', 'Dollar')
  const started = await startDashboard({ contracts, frozen: true, ...options })
  const { rpc, ask } = started
  const tick = () => rpc('preconf_advance', { ticks: 1 })
  const send = async (fields: object): Promise<Hex> => {
    const transaction = { from: ALICE, to: BOB, gas: '0x300000', ...fields }
    return (await rpc('eth_sendTransaction', transaction)) as Hex
  }
  return {
    ...started,
    tick,
    send,
    async details(hash: Hex): Promise<TransactionDetails> {
      const answer = await ask('transaction', { hash })
      if (!answer.found) throw new Error('Not found')
      return answer
    },
    async deploy(name: string, ...args: unknown[]): Promise<Hex> {
      const { abi, bytecode } = artifact(name)
      const hash = await send({ to: undefined, data: encodeDeployData({ abi, bytecode, args }) })
      await tick()
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
      return receipt.contractAddress
    },
  }
}

test('a transaction with blobs has their hashes, gas and fee', async () => {
  const { send, details, tick } = await start()
  const hashes = [`0x01${'ab'.repeat(31)}`, `0x01${'cd'.repeat(31)}`]
  const hash = await send({ blobVersionedHashes: hashes })
  const blobs = { hashes, gas: 262_144, maxFeePerGas: '2', gasPrice: null, fee: null }
  expect((await details(hash)).blobs).toEqual(blobs)
  await tick()
  expect((await details(hash)).blobs).toEqual({ ...blobs, gasPrice: '1', fee: '262144' })
  expect((await details(await send({}))).blobs).toBeNull()
})

describe('delegations', () => {
  async function delegate(nonce = 0, chainId = 31_337) {
    const node = await start()
    const ledger = await node.deploy('Ledger')
    const key = node.devnet.accounts[2]?.privateKey as Hex
    const request = { chainId, address: ledger, nonce }
    const signed = await privateKeyToAccount(key).signAuthorization(request)
    const authorization = {
      chainId: toHex(chainId),
      address: ledger,
      nonce: toHex(nonce),
      yParity: toHex(signed.yParity ?? 0),
      r: toHex(BigInt(signed.r)),
      s: toHex(BigInt(signed.s)),
    }
    const hash = await node.send({ authorizationList: [authorization] })
    await node.tick()
    return { ...node, ledger, hash }
  }

  test('default: the authority, the delegate, and that it delegates now', async () => {
    const { details, hash, ledger, ask, send, tick } = await delegate()
    expect((await details(hash)).authorizations).toEqual([
      { authority: CAROL, delegate: ledger, chainId: '31337', nonce: '0', problem: null },
    ])
    const { changes } = await ask('trace', { hash })
    expect(changes.find(({ address }) => address === CAROL)).toMatchObject({ delegate: ledger })
    const functionName = 'open'
    const { abi } = artifact('Ledger')
    const data = encodeFunctionData({ abi, functionName, args: [BOB, 1n, ''] })
    const called = await send({ to: CAROL, data })
    await tick()
    const { call, names } = await details(called)
    expect(call.decoded).toMatchObject({ contract: 'Ledger', isProxied: true, isDelegated: true })
    expect(names[CAROL]).toBe('Account #2')
    expect(await ask('address', { address: CAROL })).toMatchObject({ implementation: ledger })
  })

  test('one for another chain says that it does not apply', async () => {
    const { details, hash, ask } = await delegate(0, 5)
    expect((await details(hash)).authorizations).toMatchObject([
      { authority: CAROL, problem: 'it is for the chain 5' },
    ])
    const { changes } = await ask('trace', { hash })
    expect(changes.map(({ delegate: to }) => to)).not.toContainEqual(expect.any(String))
  })
})

test('a deposit of the OP Stack has what it mints, and its source', async () => {
  const { rpc, details, tick } = await start({ profile: 'base-flashblocks' })
  const fields = { from: CAROL, to: BOB, mint: '0x5', value: '0x5', gas: '0x10000' }
  const hash = (await rpc('preconf_deposit', fields)) as Hex
  await tick()
  expect(await details(hash)).toMatchObject({
    type: 126,
    deposit: { mint: '5', sourceHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  })
})

test('a proxy has both names, and is listed once', async () => {
  const { deploy, ask, send, tick, details } = await start()
  const ledger = await deploy('Ledger')
  const front = await deploy('Front', ledger)
  const { names } = await ask('accounts', {})
  expect(names).toMatchObject({ [ledger]: 'Ledger', [front]: 'Front → Ledger' })
  const { contracts } = await ask('contracts', {})
  const places = Object.fromEntries(
    contracts.map(({ name, addresses }) => [name, addresses.map(({ address }) => address)]),
  )
  expect(places).toEqual({ Ledger: [front, ledger], Front: [], Dollar: [] })
  const { abi } = artifact('Ledger')
  const data = encodeFunctionData({ abi, functionName: 'rename', args: ['a', '0x'] })
  const hash = await send({ to: front, data })
  await tick()
  expect((await details(hash)).call.text).toBe('Ledger.rename(title_: "a", data_: 0x)')
})

describe('dropped transactions', () => {
  test('a replaced one says by which, and keeps its call', async () => {
    const { deploy, send, ask, tick } = await start()
    const dollar = await deploy('Dollar')
    const { abi } = artifact('Dollar')
    const data = encodeFunctionData({ abi, functionName: 'mint', args: [BOB, 5n] })
    const first = await send({ to: dollar, data, nonce: '0x1' })
    const price = { maxFeePerGas: toHex(10n ** 11n), maxPriorityFeePerGas: toHex(10n ** 11n) }
    const second = await send({ to: dollar, data: '0x', nonce: '0x1', ...price })
    expect(await ask('transaction', { hash: first })).toMatchObject({
      found: false,
      gone: {
        transaction: { nonce: 1, call: { text: 'Dollar.mint(to: Account #1, value: 5)' } },
        replacedBy: second,
        nextNonce: 2,
      },
    })
    await tick()
    expect(await ask('transaction', { hash: first })).toMatchObject({ gone: { nextNonce: 2 } })
  })

  test('at most 100 are kept, and none beyond a reset', async () => {
    const { send, ask, rpc } = await start()
    const hashes: Hex[] = []
    for (let index = 0; index < 102; index++) {
      const hash = await send({ value: toHex(index) })
      await ask('command', { name: 'drop', hash })
      hashes.push(hash)
    }
    const isKept = async (hash: Hex | undefined) => {
      const answer = await ask('transaction', { hash: hash ?? '0x' })
      return !answer.found && answer.gone != null
    }
    expect([await isKept(hashes[1]), await isKept(hashes[2])]).toEqual([false, true])
    await rpc('hardhat_reset')
    expect(await isKept(hashes[101])).toBe(false)
  })
})

test('rows of plain transfers and of calls without value are told apart', async () => {
  const { send, ask, tick } = await start()
  await send({})
  await send({ data: '0x12345678' })
  await tick()
  const { rows } = await ask('transactions', {})
  expect(rows.map(({ hasData }) => hasData)).toEqual([true, false])
})
