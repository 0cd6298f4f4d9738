import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { DumpJson } from '../persistence/dump/dumpJson.ts'
import { dumpOf, restored } from '../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from '../rpc/methods/rpcChain.ts'
import type { StructLogs, TracedFrame } from '../tracing/harness.ts'
import { CODE_SIZE, CREATES_LARGE, GUARD, LONG_INIT_CODE } from './ruleBound.ts'

const GUARDED: Hex = '0x00000000000000000000000000000000000067a7'
const CALL_TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } }

/** What a receipt says, and what each kind of trace says of the same transaction. */
async function told({ call }: Pick<RpcChain, 'call'>, hash: Hex) {
  const receipt = await call<{ status: Hex; gasUsed: Hex; logs: { data: Hex }[] }>(
    'eth_getTransactionReceipt',
    hash,
  )
  const { status, gasUsed, logs } = receipt
  const frame = await call<TracedFrame>('debug_traceTransaction', hash, CALL_TRACER)
  const steps = await call<StructLogs>('debug_traceTransaction', hash, {})
  const data = (items: readonly { readonly data: Hex }[] = []) => items.map((one) => one.data)
  return {
    receipt: { status, gasUsed, logs: data(logs) },
    callTracer: {
      status: hex(Number(frame.error === undefined)),
      gasUsed: frame.gasUsed,
      logs: data(frame.logs),
    },
    structLogs: { status: hex(Number(!steps.failed)), gasUsed: hex(steps.gas), logs: data(logs) },
  }
}

async function expectTold(node: Pick<RpcChain, 'call'>, hash: Hex, success = true) {
  const { receipt, callTracer, structLogs } = await told(node, hash)
  expect(receipt.status).toBe(hex(Number(success)))
  expect({ callTracer, structLogs }).toEqual({ callTracer: receipt, structLogs: receipt })
}

/** A chain with a call in block 1 that succeeds only under chain id 31337, and now has another. */
async function createMoved(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { call } = node
  await call('hardhat_setCode', GUARDED, GUARD)
  const from = node.account(0).address
  const hash = await call<Hex>('eth_sendTransaction', { from, to: GUARDED, gas: '0x30000' })
  await call('evm_mine')
  await call('hardhat_setChainId', 999)
  await call('evm_mine')
  return { ...node, from, hash }
}

const engines = ['fast', 'library'] as const

test.each(engines)('a trace runs under the chain id of its block, %s', async (engine) => {
  const node = await createMoved({ engine })
  await expectTold(node, node.hash)
  const { call, hash } = node
  const [{ result }] = await call<[{ result: TracedFrame }]>(
    'debug_traceBlockByNumber',
    '0x1',
    CALL_TRACER,
  )
  expect(result.error).toBeUndefined()
  const raw = await call('debug_getRawBlock', '0x1')
  expect(await call('debug_traceBlock', raw, CALL_TRACER)).toMatchObject([{ result }])
  expect(await call('ots_traceTransaction', hash)).toMatchObject([{ type: 'CALL', output: '0x' }])
  expect(await call('ots_getTransactionError', hash)).toBe('0x')
  const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  expect(await call('debug_traceTransaction', hash, diff)).toEqual(
    await (await createMovedBack()).call('debug_traceTransaction', hash, diff),
  )
})

/** The same, whose chain id is that of the call again. */
async function createMovedBack() {
  const node = await createMoved()
  await node.call('hardhat_setChainId', 31337)
  return node
}

test('calls on an old block run under its chain id, those on the newest under that of now', async () => {
  const { call, failure } = await createMoved()
  const request = { to: GUARDED }
  const isDone = (block: string) =>
    call('eth_call', request, block).then(
      () => true,
      () => false,
    )
  expect(await isDone('0x1')).toBe(true)
  expect([await isDone('latest'), await isDone('0x2'), await isDone('pending')]).toEqual([
    false,
    false,
    false,
  ])
  expect(Number(await call('eth_estimateGas', request, '0x1'))).toBeGreaterThan(21_000)
  expect(await failure('eth_estimateGas', request, 'latest')).toMatchObject({ code: 3 })
  expect(await call('eth_createAccessList', request, '0x1')).not.toHaveProperty('error')
  const traced = (block: string, config = {}) =>
    call<TracedFrame>('debug_traceCall', request, block, { ...CALL_TRACER, ...config })
  expect((await traced('0x1')).error).toBeUndefined()
  expect((await traced('0x1', { txIndex: '0x0' })).error).toBeUndefined()
  expect((await traced('0x1', { blockOverrides: { number: '0x9' } })).error).toBeUndefined()
  expect((await traced('latest')).error).toBe('execution reverted')
  // A simulation makes new blocks, whatever it builds on.
  const [block] = await call<[{ calls: object[] }]>(
    'eth_simulateV1',
    { blockStateCalls: [{ calls: [request] }] },
    '0x1',
  )
  expect(block.calls).toMatchObject([{ status: '0x0' }])
})

test('what was signed for another chain id comes back with a state', async () => {
  const node = await createMoved()
  const signer = privateKeyToAccount(node.account(1).privateKey)
  const fields = { to: GUARDED, gas: 100_000n, gasPrice: 10n ** 10n }
  // Valid under any chain id, so that it does not tell that of its block.
  const unbound = await signer.signTransaction({ ...fields, type: 'legacy', nonce: 0 })
  await node.call('hardhat_setChainId', 31337)
  const hash = await node.call<Hex>('eth_sendRawTransaction', unbound)
  await node.call('evm_mine')
  await node.call('hardhat_setChainId', 5)
  await node.call('evm_mine')
  const again = await restored(await dumpOf(node))
  expect(await dumpOf(again)).toBe(await dumpOf(node))
  for (const [sent, from] of [[node.hash, node.from] as const, [hash, signer.address] as const]) {
    await expectTold(again, sent)
    expect(await again.call('eth_getTransactionByHash', sent)).toEqual(
      await node.call('eth_getTransactionByHash', sent),
    )
    expect(await again.call('eth_getTransactionByHash', sent)).toMatchObject({
      from: from.toLowerCase(),
    })
  }
  // Also into a chain that has another chain id meanwhile.
  const other = await createRpcChain()
  const packed = await node.call('anvil_dumpState')
  await other.call('anvil_loadState', packed)
  await expectTold(other, node.hash)
  await expectTold(other, hash)
  expect(await other.call('eth_chainId')).toBe('0x5')
})

const LARGE = { codeSizeLimit: 0 } as const

async function createLarge(options: OptionsInput) {
  const node = await createRpcChain(options)
  const from = node.account(0).address
  const send = (data: Hex, gas: bigint) =>
    node.call<Hex>('eth_sendTransaction', { from, data, gas: hex(gas) })
  return { ...node, from, send }
}

test.each([[{}], [{ engine: 'library' }]] as const)(
  'a contract deployed under another code size limit, loaded with %j',
  async (options) => {
    const node = await createLarge(LARGE)
    const sealed = await node.send(CREATES_LARGE, 10_000_000n)
    const long = await node.send(LONG_INIT_CODE, 5_000_000n)
    await node.call('evm_mine')
    const preconfirmed = await node.send(CREATES_LARGE, 10_000_000n)
    await node.clocks.advanceTicks(1)
    const again = await restored(await dumpOf(node), options)
    for (const hash of [sealed, long, preconfirmed]) {
      await expectTold(again, hash)
      const receipt = await again.call('eth_getTransactionReceipt', hash)
      expect(receipt).toEqual(await node.call('eth_getTransactionReceipt', hash))
    }
    // A drop executes it again, in the same block.
    const later = await again.call<Hex>('eth_sendTransaction', { from: node.from, to: GUARDED })
    await again.clocks.advanceTicks(1)
    await again.call('anvil_dropTransaction', later)
    await again.clocks.advanceBlocks(1)
    await expectTold(again, preconfirmed)
    // The next block has the limits of its node.
    const data = { from: node.from, data: CREATES_LARGE, gas: hex(10_000_000) }
    const refused = await again.call<Hex>('eth_sendTransaction', data)
    await again.clocks.advanceBlocks(1)
    await expectTold(again, refused, false)
    // And back again, with what failed there.
    const back = await restored(await dumpOf(again), LARGE)
    await expectTold(back, refused, false)
    await expectTold(back, preconfirmed)
  },
)

test('a call on the newest block has the limits of its node', async () => {
  const node = await createLarge({})
  await node.call('evm_mine')
  const again = await restored(await dumpOf(node), LARGE)
  await again.call('evm_mine')
  const deploys = { data: CREATES_LARGE }
  expect(String(await again.call('eth_call', deploys, 'latest')).length).toBe(2 + 2 * CODE_SIZE)
  expect(await again.failure('eth_call', deploys, '0x1')).toMatchObject({
    message: 'max code size exceeded',
  })
})

test('transactions above the gas cap of the next start', async () => {
  const node = await createLarge({ transactionGasCap: 0 })
  const sealed = await node.send('0x00', 20_000_000n)
  await node.call('evm_mine')
  const preconfirmed = await node.send('0x00', 20_000_000n)
  await node.clocks.advanceTicks(1)
  // The pending block, whose rules are kept, takes what waits for a tick, but not what has a gap.
  const waiting = await node.send('0x00', 20_000_000n)
  const gas = hex(20_000_000)
  const gapped = await node.call('eth_sendTransaction', {
    from: node.from,
    gas,
    nonce: '0x9',
    to: GUARDED,
  })
  const dump = await dumpOf(node)
  expect(await dumpOf(await restored(dump, { transactionGasCap: 0 }))).toBe(dump)
  const again = await restored(dump)
  await again.clocks.advanceBlocks(1)
  await expectTold(again, sealed)
  await expectTold(again, preconfirmed)
  await expectTold(again, waiting)
  await again.call('hardhat_setNonce', node.from, '0x9')
  await again.clocks.advanceBlocks(1)
  expect(await again.call('preconf_status')).toMatchObject({
    dropped: [{ hash: gapped, reason: expect.stringMatching(/gas limit too high/) }],
  })
})

test('what a dump of anvil does not name follows from its transactions', async () => {
  const node = await createLarge({ codeSizeLimit: 0 })
  const sent = [await node.send(LONG_INIT_CODE, 5_000_000n)]
  await node.call('evm_mine')
  await node.call('hardhat_setChainId', 999)
  sent.push(await node.send('0x00', 5_000_000n))
  await node.call('evm_mine')
  const dump: DumpJson = JSON.parse(await dumpOf(node))
  delete dump.pending_node
  for (const block of dump.blocks ?? []) {
    for (const name of ['chain_id', 'code_size_limit']) Reflect.deleteProperty(block, name)
  }
  const again = await restored(dump)
  for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt']) {
    for (const hash of sent) {
      expect(await again.call(method, hash)).toEqual(await node.call(method, hash))
    }
  }
})
