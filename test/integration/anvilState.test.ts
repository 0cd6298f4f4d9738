import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { dumpOf, playTraffic, restored } from '../devnet/persistence/dump/support.ts'
import { createRpcChain } from '../devnet/rpc/methods/rpcChain.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { FUNDED, temporaryFile } from '../support/genesisFile.ts'

const program = anvilProgram()
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  await exited
}

/** An anvil that answers; `ask` sends it a request. */
async function openAnvil(...args: string[]) {
  const { child, url } = await startAnvil(program ?? '', '--accounts', '3', ...args)
  children.push(child)
  const ask = async <Result>(method: string, ...params: unknown[]): Promise<Result> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    // Each test knows what the method that it asks answers.
    const { result, error } = (await response.json()) as { result: Result; error?: object }
    expect(error).toBe(undefined)
    return result
  }
  return { ask, child }
}

type Ask = Awaited<ReturnType<typeof openAnvil>>['ask']

const [ALICE, BOB, CAROL] = FUNDED
const NOBODY = '0x00000000000000000000000000000000000000ee'
/** Writes a slot, logs, and leaves the contract with code. */
const CREATION = '0x602a60005560aa60005260bb60206000a16009602860003960096000f3'

/** Transactions of all sorts, of which anvil makes a block each. */
async function traffic(ask: Ask): Promise<Hex[]> {
  // anvil answers other sends before it has made the block.
  const send = async (transaction: object) => {
    const request = { from: ALICE, ...transaction }
    const receipt = await ask<{ transactionHash: Hex }>('eth_sendTransactionSync', request)
    return receipt.transactionHash
  }
  const hashes = [
    await send({ to: BOB, value: '0x1', gasPrice: '0x77359400' }),
    await send({ to: BOB, value: '0x2', accessList: [{ address: BOB, storageKeys: [] }] }),
    await send({ data: CREATION, gas: '0x1e8480' }),
    await send({ data: '0x60006000fd', gas: '0x186a0' }),
  ]
  await ask('anvil_setBalance', NOBODY, '0xde0b6b3a7640000')
  await ask('anvil_impersonateAccount', NOBODY)
  hashes.push(await send({ from: NOBODY, to: CAROL, value: '0x3' }))
  await ask('anvil_mine', '0x3')
  await ask('anvil_setBalance', CAROL, '0x99')
  return hashes
}

// Without the program there is nothing to ask.
describe.skipIf(program === undefined)('with anvil itself', () => {
  test('its dump is taken, over JSON-RPC and as a file', async () => {
    const file = join(dirname(temporaryFile('x', '')), `${process.pid}-anvil.json`)
    const { ask, child } = await openAnvil('--dump-state', file, '--preserve-historical-states')
    const hashes = await traffic(ask)
    const dump = await ask<Hex>('anvil_dumpState', true)
    const node = await createRpcChain()
    expect(await node.call('anvil_loadState', dump)).toBe(true)
    const fields = ['hash', 'parentHash', 'stateRoot', 'timestamp', 'transactions', 'gasUsed']
    for (let number = 0; number <= 8; number++) {
      const block = ['eth_getBlockByNumber', `0x${number}`, false] as const
      const [its, ours] = [await ask<object>(...block), await node.call<object>(...block)]
      expect(pick(ours, fields)).toEqual(pick(its, fields))
    }
    for (const hash of hashes) {
      const receipt = ['eth_getTransactionReceipt', hash] as const
      const [its, ours] = [await ask<object>(...receipt), await node.call<object>(...receipt)]
      const same = ['transactionHash', 'blockHash', 'status', 'from', 'to', 'gasUsed', 'logsBloom']
      expect(
        pick(ours, [...same, 'effectiveGasPrice', 'cumulativeGasUsed', 'contractAddress']),
      ).toEqual(pick(its, [...same, 'effectiveGasPrice', 'cumulativeGasUsed', 'contractAddress']))
    }
    for (const address of [ALICE, BOB, CAROL, NOBODY]) {
      expect(await node.call('eth_getBalance', address)).toBe(
        await ask('eth_getBalance', address, 'latest'),
      )
      expect(await node.call('eth_getBalance', address, '0x2')).toBe(
        await ask('eth_getBalance', address, '0x2'),
      )
    }
    const before = await node.call<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    await node.clocks.advanceBlocks(1)
    expect(await node.call('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      parentHash: before.hash,
    })

    await end(child)
    expect(existsSync(file)).toBe(true)
    const fromFile = await restored(readFileSync(file))
    expect(fromFile.chain.head.hash).toBe(before.hash)
  })

  // anvil tells the difficulty as 0 under each of them, and does not name the hardfork.
  test.each([
    ['frontier', ['london', 'osaka']],
    ['byzantium', ['london', 'osaka']],
    ['istanbul', ['london', 'osaka']],
    ['berlin', ['london', 'osaka']],
    ['london', ['london', 'paris', 'osaka']],
    ['paris', ['paris', 'osaka']],
    ['shanghai', ['shanghai', 'osaka']],
    ['cancun', ['cancun', 'osaka']],
    ['prague', ['prague', 'osaka']],
    ['osaka', ['osaka', 'bpo2']],
  ] as const)('its dump of %s is taken on the same and on later hardforks', async (its, ours) => {
    const { ask } = await openAnvil('--hardfork', its)
    await ask('eth_sendTransactionSync', {
      from: ALICE,
      to: BOB,
      value: '0x1',
      gasPrice: '0x77359400',
    })
    await ask('anvil_mine', '0x2')
    const dump = await ask<Hex>('anvil_dumpState', true)
    const { hash } = await ask<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    for (const hardfork of ours) {
      const node = await createRpcChain({ hardfork })
      expect(await node.call('anvil_loadState', dump)).toBe(true)
      expect([hardfork, node.chain.head.hash]).toEqual([hardfork, hash])
      const { rules } = node.chain.history.byNumber(1) ?? {}
      if (its === 'london') expect(rules?.proofOfStake).toBe(hardfork !== 'london')
      await node.call('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' })
      await node.clocks.advanceBlocks(1)
      expect(node.chain.head.executed.length).toBe(1)
      // What it saves then comes back as well.
      const again = await restored(await dumpOf(node), { hardfork })
      expect(again.chain.head.hash).toBe(node.chain.head.hash)
    }
  })

  test('it takes a dump of this node', async () => {
    const node = await createRpcChain()
    const addresses = await playTraffic(node, 4, 60)
    const file = temporaryFile('state.json', await dumpOf(node))
    const { ask } = await openAnvil('--load-state', file)
    const head = node.chain.head
    expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: `0x${head.number.toString(16)}`,
      hash: head.hash,
    })
    for (const address of addresses) {
      for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']) {
        expect(await ask(method, address, 'latest')).toBe(await node.call(method, address))
      }
      expect(await ask('eth_getStorageAt', address, '0x1', 'latest')).toBe(
        await node.call('eth_getStorageAt', address, '0x1'),
      )
    }
    const [sealed] = node.chain.history
      .entries()
      .flatMap((entry) => ('executed' in entry ? entry.executed : []))
    const hash = sealed?.transaction.hash
    const receipt = await node.call<object>('eth_getTransactionReceipt', hash)
    expect(
      pick(await ask<object>('eth_getTransactionReceipt', hash), [
        'status',
        'blockHash',
        'gasUsed',
      ]),
    ).toEqual(pick(receipt, ['status', 'blockHash', 'gasUsed']))
    await ask('eth_sendTransactionSync', { from: ALICE, to: BOB, value: '0x1' })
    const dump = await ask<Hex>('anvil_dumpState')
    const back = await createRpcChain()
    await back.call('anvil_loadState', dump)
    expect(back.chain.head.number).toBe(head.number + 1)
    await back.clocks.advanceBlocks(1)
  })

  test('what it makes of an impersonated sender in a dump of this node', async () => {
    const node = await createRpcChain()
    await node.call('hardhat_setBalance', NOBODY, '0xde0b6b3a7640000')
    await node.call('hardhat_impersonateAccount', NOBODY)
    const hash = await node.call('eth_sendTransaction', { from: NOBODY, to: BOB, value: '0x1' })
    await node.clocks.advanceBlocks(1)
    const { ask } = await openAnvil('--load-state', temporaryFile('state.json', await dumpOf(node)))
    expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ from: NOBODY, hash })
    expect(await ask('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    // As the documents say.
    const block = await ask<{ transactions: Hex[] }>('eth_getBlockByNumber', '0x1', false)
    expect(block.transactions).toEqual([expect.not.stringContaining(String(hash))])
    expect(await ask('eth_getBlockByNumber', '0x1', true)).toBe(null)
  })
})

function pick(from: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}
