import { type Hex, parseGwei, type TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { START } from '../../support/chain.ts'
import { BLOCK_FORKS, genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { createRpcChain, hex, type RpcChain } from '../rpc/methods/rpcChain.ts'

/** Cancun, Prague and Osaka begin 10, 20 and 30 s after the start; seals come every 2 s. */
const TIMES = {
  shanghaiTime: START,
  cancunTime: START + 10,
  pragueTime: START + 20,
  osakaTime: START + 30,
}
const TO: Hex = `0x${'dd'.repeat(20)}`

function start(config: object = TIMES): Promise<RpcChain> {
  const genesis = genesisOf({ ...BLOCK_FORKS, ...config }, { timestamp: hex(START - 10) })
  return createRpcChain({ genesis: temporaryFile('genesis.json', genesis) })
}

function sign(node: RpcChain, draft: Partial<TransactionSerializableEIP1559>): Promise<Hex> {
  return privateKeyToAccount(node.account(0).privateKey).signTransaction({
    type: 'eip1559',
    chainId: 4242,
    nonce: 0,
    gas: 21_000n,
    to: TO,
    maxFeePerGas: parseGwei('5'),
    maxPriorityFeePerGas: 1n,
    ...draft,
  })
}

const pendingFork = ({ chain }: RpcChain) => chain.pending.environment.rules.hardfork

describe('two hardforks crossed by time while the node runs', () => {
  test('default: each block has the rules and the fields of its time', async () => {
    const node = await start()
    const fields = async (tag: string) => {
      const block = await node.call<object>('eth_getBlockByNumber', tag, false)
      return ['blobGasUsed', 'requestsHash'].filter((field) => field in block)
    }
    const seen: [string, string[]][] = []
    for (let block = 1; block <= 11; block++) {
      seen.push([pendingFork(node), await fields('pending')])
      await node.send(await sign(node, { nonce: block - 1 }))
      await node.clocks.advanceBlocks(1)
      expect(node.chain.head.rules.hardfork).toBe(seen.at(-1)?.[0])
      expect(await fields('latest')).toEqual(seen.at(-1)?.[1])
    }
    expect(seen).toEqual([
      ...Array.from({ length: 4 }, () => ['shanghai', []]),
      ...Array.from({ length: 5 }, () => ['cancun', ['blobGasUsed']]),
      ...Array.from({ length: 2 }, () => ['prague', ['blobGasUsed', 'requestsHash']]),
    ])
    expect(node.chain.head.executed).toHaveLength(1)
  })

  test('a transaction is admitted under the rules of the pending block', async () => {
    const node = await start()
    const blobs = await privateKeyToAccount(node.account(0).privateKey).signTransaction({
      type: 'eip4844',
      chainId: 4242,
      nonce: 0,
      gas: 21_000n,
      to: TO,
      maxFeePerGas: parseGwei('5'),
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
    })
    expect(await node.failure('eth_sendRawTransaction', blobs)).toEqual({
      code: -32000,
      message: 'transaction type not supported: type 3 under hardfork shanghai',
    })
    await node.clocks.setNextTimestamp(TIMES.cancunTime)
    expect(pendingFork(node)).toBe('cancun')
    const hash = await node.call('eth_sendRawTransaction', blobs)
    await node.clocks.advanceTicks(1)
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('what waits is read anew, and dropped where the new rules refuse it', async () => {
    const node = await start()
    // Both behind a nonce gap: enough gas before Prague (EIP-7623), and before Osaka (EIP-7825).
    const floor = await node.send(
      await sign(node, { nonce: 1, data: `0x${'11'.repeat(100)}`, gas: 24_000n }),
    )
    await node.clocks.setNextTimestamp(TIMES.pragueTime)
    await node.send(await sign(node, { nonce: 0 }))
    await node.clocks.advanceTicks(1)
    expect(node.chain.pending.executed).toHaveLength(1)
    expect(node.chain.dropped).toEqual([
      {
        hash: floor,
        reason: 'insufficient gas for floor data gas cost: gas 24000, minimum needed 25000',
        preconfirmed: false,
      },
    ])
    await node.clocks.seal()
    const large = await node.send(await sign(node, { nonce: 2, gas: 2n ** 24n + 1n }))
    const small = await node.send(await sign(node, { nonce: 3 }))
    await node.clocks.setNextTimestamp(TIMES.osakaTime)
    await node.send(await sign(node, { nonce: 1 }))
    await node.clocks.advanceTicks(1)
    expect(node.chain.dropped.at(-1)).toEqual({
      hash: large,
      reason: 'transaction gas limit too high (cap: 16777216, tx: 16777217)',
      preconfirmed: false,
    })
    expect(node.chain.findTransaction(small)?.at).toBe('mempool')
  })

  test('pre-confirmed transactions keep the rules they ran under when time moves past a fork', async () => {
    const node = await start({ shanghaiTime: START, cancunTime: START + 1000 })
    // Before Cancun BLOBBASEFEE is no opcode: stores it at slot 0.
    const deploy = await node.send(await sign(node, { to: null, data: '0x4a5f55', gas: 100_000n }))
    await node.clocks.advanceTicks(1)
    const failed = { status: '0x0', blockNumber: '0x1' }
    expect(await node.call('eth_getTransactionReceipt', deploy)).toMatchObject(failed)
    const { executed } = node.chain.pending
    await node.clocks.increaseTime(1000)
    expect(node.chain.head.executed).toBe(executed)
    expect(pendingFork(node)).toBe('cancun')
    expect(await node.call('eth_getTransactionReceipt', deploy)).toMatchObject(failed)
  })

  test('a snapshot from before a hardfork is gone back to', async () => {
    const node = await start()
    const waiting = await node.send(await sign(node, { nonce: 0 }))
    const snapshot = await node.call('evm_snapshot')
    await node.clocks.advanceBlocks(12)
    expect(pendingFork(node)).toBe('prague')
    await node.call('evm_revert', snapshot)
    expect(pendingFork(node)).toBe('shanghai')
    await node.clocks.advanceBlocks(1)
    expect(node.chain.findTransaction(waiting)?.at).toBe('sealed')
  })
})

describe('calls on historical blocks', () => {
  /** Returns what BLOBBASEFEE pushes, which is no opcode before Cancun. */
  const code = { [TO]: { code: '0x4a5f5260205ff3' } }

  async function chainOfThree() {
    const node = await start()
    await node.clocks.advanceBlocks(14)
    expect([1, 5, 10].map((number) => node.chain.history.byNumber(number)?.rules.hardfork)).toEqual(
      ['shanghai', 'cancun', 'prague'],
    )
    return node
  }

  test('default: eth_call runs under the rules of the block', async () => {
    const node = await chainOfThree()
    expect(await node.failure('eth_call', { to: TO }, '0x1', code)).toMatchObject({
      message: 'invalid opcode: BLOBBASEFEE',
    })
    const one = `0x${'1'.padStart(64, '0')}`
    expect(await node.call('eth_call', { to: TO }, '0x5', code)).toBe(one)
    const genesisHash = node.chain.history.byNumber(1)?.hash
    expect(
      await node.failure('eth_call', { to: TO }, { blockHash: genesisHash }, code),
    ).toBeDefined()
  })

  test('an overridden time or number chooses the rules, as in geth', async () => {
    const node = await chainOfThree()
    const later = { time: hex(TIMES.cancunTime) }
    // The opcode is there then; the block itself has no price for blobs.
    expect(await node.call('eth_call', { to: TO }, '0x1', code, later)).toBe(`0x${'0'.repeat(64)}`)
  })

  test('eth_estimateGas likewise', async () => {
    const node = await chainOfThree()
    const request = { to: TO, data: `0x${'11'.repeat(1000)}` }
    // EIP-7623: the floor of the call data holds from Prague on.
    const [before, after] = await Promise.all(
      ['0x5', '0xa'].map((block) => node.call<Hex>('eth_estimateGas', request, block)),
    )
    expect(Number(before)).toBeLessThan(38_000)
    expect(Number(after)).toBeGreaterThanOrEqual(61_000)
  })

  test('a simulation crosses hardforks, and its state with it', async () => {
    const node = await start()
    const stored = { [TO]: { code: '0x5f545f5260205ff3' } }
    const state = {
      [TO]: { ...stored[TO], stateDiff: { [`0x${'0'.repeat(64)}`]: `0x${'7'.repeat(64)}` } },
    }
    const calls = [{ to: TO }]
    const blocks = await node.call<Record<string, unknown>[]>('eth_simulateV1', {
      blockStateCalls: [
        { stateOverrides: state, calls },
        { blockOverrides: { time: hex(TIMES.cancunTime) }, calls },
        { blockOverrides: { time: hex(TIMES.osakaTime) }, calls },
      ],
    })
    expect(
      blocks.map((block) => ['blobGasUsed', 'requestsHash'].filter((name) => name in block)),
    ).toEqual([[], ['blobGasUsed'], ['blobGasUsed', 'requestsHash']])
    for (const block of blocks) {
      expect(block.calls).toEqual([
        expect.objectContaining({ status: '0x1', returnData: `0x${'7'.repeat(64)}` }),
      ])
    }
    expect(pendingFork(node)).toBe('shanghai')
  })
})
