import { getContractAddress } from 'viem'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { dumpChunks } from '../../../../devnet/persistence/dump/dumpText.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { TestChain } from '../../../support/chain.ts'
import { temporaryFile } from '../../../support/genesisFile.ts'
import { RandomTraffic } from '../../chain/randomTraffic.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'

/** The text that a chain is saved as. */
export async function dumpOf({
  chain,
  clocks,
}: Pick<TestChain, 'chain' | 'clocks'>): Promise<string> {
  const capture = await chain.write(() => ({
    ...chain.capture(),
    clock: clocks.save(),
    instanceId: undefined,
  }))
  const chunks: Uint8Array[] = []
  for await (const chunk of dumpChunks(capture)) chunks.push(chunk)
  capture.release()
  return Buffer.concat(chunks).toString()
}

/** A chain that goes on from a dump. */
export function restored(
  dump: string | Uint8Array | object,
  options: OptionsInput = {},
): Promise<RpcChain> {
  const loadState = temporaryFile('state.json', dump)
  return createRpcChain({ loadState, timestamp: undefined, ...options })
}

/** Addresses that {@link playTraffic} does something to. */
export const CHEATED: readonly Hex[] = [1, 2, 3].map((n): Hex => `0x${String(n).padStart(40, 'c')}`)

/** Random but repeatable transactions, ticks, seals, cheats, snapshots and time travel; ends with a full pending block. */
export async function playTraffic(node: RpcChain, seed: number, steps: number): Promise<Hex[]> {
  const { clocks, call } = node
  const traffic = new RandomTraffic(seed, node.accounts.slice(0, 4), 31337, node.options.hardfork)
  const [deployer = '0x'] = traffic.addresses
  const targets = {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
  const { random } = traffic
  for (const raw of await traffic.deployments()) await node.send(raw)
  await clocks.advanceTicks(1)
  const send = async () => node.send(await traffic.next(targets))
  let snapshot: { readonly id: unknown; readonly nonces: readonly number[] } | undefined
  for (let step = 0; step < steps; step++) {
    const roll = random.below(20)
    if (roll < 9) await send()
    else if (roll < 12) await clocks.advanceTicks(1)
    else if (roll < 15) await clocks.advanceBlocks(1)
    else if (roll === 15) await cheat(node, random.below(6), targets.playground)
    else if (roll === 16) await call('evm_increaseTime', hex(random.below(100)))
    else if (roll === 17) await call('hardhat_setNextBlockBaseFeePerGas', hex(7 + random.below(9)))
    else if (snapshot === undefined) {
      snapshot = { id: await call('evm_snapshot'), nonces: [...traffic.nonces] }
    } else {
      // Not where its block is dropped since.
      if (await call<boolean>('evm_revert', snapshot.id)) {
        traffic.nonces.splice(0, traffic.nonces.length, ...snapshot.nonces)
      }
      snapshot = undefined
    }
  }
  await cheat(node, 0, targets.playground)
  for (let tick = 0; tick < 2; tick++) {
    await send()
    await send()
    await clocks.advanceTicks(1)
  }
  await send()
  return [...traffic.addresses, ...Object.values(targets), ...CHEATED]
}

async function cheat({ call }: RpcChain, kind: number, contract: Hex): Promise<void> {
  const [one, other, third] = CHEATED
  if (kind === 0) await call('hardhat_setBalance', one, hex(10n ** 18n))
  else if (kind === 1) await call('hardhat_setBalance', one, '0x0')
  else if (kind === 2) await call('hardhat_setCode', other, '0x60005500')
  else if (kind === 3) await call('hardhat_setCode', other, '0x')
  else if (kind === 4) await call('hardhat_setStorageAt', contract, '0x1', `0x${'42'.repeat(32)}`)
  else await call('hardhat_setNonce', third, '0x7')
}

/** All that a chain answers about its blocks, its states and what waits, as text that can be compared. */
export async function answersOf(
  { chain, call }: RpcChain,
  addresses: readonly Hex[],
): Promise<string[]> {
  const { oldest, head } = chain.history
  const blocks = Array.from({ length: head.number - oldest + 1 }, (_, index) => hex(oldest + index))
  const answers: string[] = []
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = JSON.stringify(await call(method, ...params))
    // Which instance it is depends on the number of loads.
    const shown = answer.replace(/"instanceId":"0x\w+",/, '')
    answers.push(`${method} ${JSON.stringify(params)}: ${shown}`)
  }
  for (const block of [...blocks, 'pending']) {
    await ask('eth_getBlockByNumber', block, true)
    await ask('eth_getBlockReceipts', block)
    if (head.rules.blockAccessLists) await ask('eth_getBlockAccessList', block)
    for (const address of addresses) {
      await ask('eth_getBalance', address, block)
      await ask('eth_getTransactionCount', address, block)
      await ask('eth_getCode', address, block)
      await ask('eth_getStorageAt', address, '0x1', block)
      await ask('eth_getProof', address, ['0x0', '0x1', '0x5'], block)
    }
  }
  for (const block of blocks.slice(1))
    await ask('debug_traceBlockByNumber', block, { tracer: 'callTracer' })
  await ask('eth_getLogs', { fromBlock: hex(oldest), toBlock: 'pending' })
  await ask('eth_feeHistory', '0x20', 'latest', [10, 50])
  for (const method of ['preconf_status', 'txpool_content', 'eth_chainId', 'eth_coinbase'])
    await ask(method)
  return answers
}
