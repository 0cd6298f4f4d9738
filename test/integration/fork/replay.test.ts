import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { getContractAddress, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import type { Devnet, Hex } from '../../../devnet/index.ts'
import { quantity } from '../../../devnet/primitives/hex.ts'
import { RandomTraffic } from '../../devnet/chain/randomTraffic.ts'
import { anvilProgram, startAnvil } from '../../support/anvil.ts'
import { createTestChain } from '../../support/chain.ts'
import { runs } from '../../support/longRuns.ts'
import { askNode, type PeerNode, startHardhat, startOurs } from '../../support/peerNode.ts'
import { ask, startFork } from './forkSupport.ts'

/** Blocks that are sealed in front of the fork block, and behind it. */
const BEFORE = 3
const BLOCKS = runs(120, 40)
/** Transactions that are sent for each of them. */
const EACH = 6

/** Not that of the senders: a fork leaves out delegations of its own accounts. */
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

const program = anvilProgram()

/** Each is asked in another way. */
const upstreams: [string, () => Promise<PeerNode>, 'access-list' | 'off'][] = [
  ['this node', startOurs, 'access-list'],
  [
    'hardhat node',
    async () => startHardhat(await createHardhatRuntimeEnvironment({ networks: {} })),
    'off',
  ],
]
if (program !== undefined) upstreams.push(['anvil', () => startAnvil(program), 'access-list'])

interface Block {
  readonly number: Hex
  readonly timestamp: Hex
  readonly baseFeePerGas: Hex
  readonly mixHash: Hex
  readonly miner: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly transactions: readonly Hex[]
}

/** What execution decides of a receipt, and where the transaction is. */
interface Receipt {
  readonly [field: string]: unknown
  readonly logs: readonly Readonly<Record<string, unknown>>[]
}

function outcome(receipt: Receipt) {
  const { status, gasUsed, cumulativeGasUsed, contractAddress, logsBloom, logs } = receipt
  const { transactionHash, transactionIndex, effectiveGasPrice, from, to, type } = receipt
  return {
    ...{ status, gasUsed, cumulativeGasUsed, contractAddress: contractAddress ?? null, logsBloom },
    ...{ transactionHash, transactionIndex, effectiveGasPrice, from, to: to ?? null, type },
    logs: logs.map(({ address, topics, data, logIndex }) => ({ address, topics, data, logIndex })),
  }
}

/** An upstream with blocks of random transactions, and the bytes of these by their hash. */
async function prepare({ url }: PeerNode) {
  const { accounts } = await createTestChain()
  const traffic = new RandomTraffic(11, accounts.slice(0, 4), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
  const raws = new Map<Hex, Hex>()
  const send = async (raw: Hex) => {
    raws.set(keccak256(raw), raw)
    await askNode(url, 'eth_sendRawTransaction', raw)
  }
  for (const raw of await traffic.deployments()) await send(raw)
  await askNode(url, 'evm_setAutomine', false)
  for (let block = 0; block < BEFORE + BLOCKS; block++) {
    for (let index = 0; index < EACH; index++) {
      // Delegations change nonces, so that some come too late.
      await send(await traffic.next(targets)).catch(() => undefined)
    }
    await askNode(url, 'evm_mine')
    for (const [index, address] of traffic.addresses.entries()) {
      const count = await askNode<Hex>(url, 'eth_getTransactionCount', address, 'latest')
      traffic.nonces[index] = Number(count)
    }
  }
  const last = Number(await askNode<Hex>(url, 'eth_blockNumber'))
  return { raws, forkBlockNumber: last - BLOCKS, last }
}

/** Gives the next block of the fork the environment of a block. */
async function open(fork: Devnet, block: Block): Promise<void> {
  await ask(fork, 'evm_setBlockGasLimit', block.gasLimit)
  await ask(fork, 'hardhat_setCoinbase', block.miner)
  await ask(fork, 'hardhat_setPrevRandao', block.mixHash)
  await ask(fork, 'hardhat_setNextBlockBaseFeePerGas', block.baseFeePerGas)
  await ask(fork, 'evm_setNextBlockTimestamp', block.timestamp)
}

test.each(upstreams)(
  'a fork of %s gives its next transactions the same receipts',
  async (_, start, forkPrefetch) => {
    await using node = await start()
    const { url } = node
    const { raws, forkBlockNumber, last } = await prepare(node)
    const fork = await startFork({
      ...{ fork: url, forkBlockNumber, forkPrefetch },
      ...{ mnemonic: MNEMONIC, allowBlocksWithSameTimestamp: true },
    })
    let executed = 0
    for (let number = forkBlockNumber + 1; number <= last; number++) {
      const at = [quantity(number), false] as const
      const block = await askNode<Block>(url, 'eth_getBlockByNumber', ...at)
      await open(fork, block)
      for (const hash of block.transactions) {
        await ask(fork, 'eth_sendRawTransaction', raws.get(hash))
        // An authorization may raise the nonce of the next one's sender in place of a transaction
        // that came too late there, and is in no block.
        await ask(fork, 'preconf_advance', { ticks: 1 })
      }
      await ask(fork, 'evm_mine')
      const { timestamp, transactions, gasUsed } = block
      expect(await ask<Block>(fork, 'eth_getBlockByNumber', ...at)).toMatchObject({
        ...{ timestamp, transactions, gasUsed },
      })
      for (const hash of block.transactions) {
        const theirs = await askNode<Receipt>(url, 'eth_getTransactionReceipt', hash)
        const ours = await ask<Receipt>(fork, 'eth_getTransactionReceipt', hash)
        expect(outcome(ours)).toEqual(outcome(theirs))
        executed++
      }
    }
    // Otherwise too little was compared.
    expect(executed).toBeGreaterThan((BLOCKS * EACH) / 2)
  },
)
