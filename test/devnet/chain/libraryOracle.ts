import { createBlockFromRLP } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { bytesToHex, createAccount, createAddressFromString } from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { expect } from 'vitest'
import { formatAccessList } from '../../../devnet/json/formatAccessList.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { encodeBlock, type SealedBlock } from '../../../devnet/protocol/block.ts'
import { predeploys } from '../../../devnet/protocol/systemContracts.ts'
import type { TestChain } from '../../support/chain.ts'

/** The library's own state and block execution, from the same genesis. */
export async function createOracle({ engine, accounts, options, chain }: TestChain): Promise<VM> {
  const common = new Common({
    chain: { ...Mainnet, chainId: options.chainId },
    hardfork: options.hardfork,
  })
  const stateManager = new MerkleStateManager({ common })
  for (const { address } of accounts) {
    const balance = BigInt(options.balance) * 10n ** 18n
    await stateManager.putAccount(createAddressFromString(address), createAccount({ balance }))
  }
  for (const { address, code } of predeploys(engine.schedule.newest)) {
    const key = createAddressFromString(address)
    await stateManager.putAccount(key, createAccount({ nonce: 1n }))
    await stateManager.putCode(key, fromHex(code))
  }
  expect(bytesToHex(await stateManager.getStateRoot())).toBe(toHex(chain.head.header.stateRoot))
  const blockchain = {
    getBlock: async (number: number) => ({
      hash: () => chain.history.byNumber(number)?.hashBytes ?? new Uint8Array(32),
    }),
    putBlock: async () => {},
    shallowCopy: () => blockchain,
  }
  return createVM({ common, stateManager, blockchain })
}

/** Runs the block on the oracle, which throws where any root, the gas or the bloom differs. */
export async function verify(vm: VM, block: SealedBlock, parent: SealedBlock): Promise<void> {
  const same = createBlockFromRLP(encodeBlock(block), { common: vm.common })
  expect(bytesToHex(same.hash())).toBe(block.hash)
  const result = await runBlock(vm, {
    block: same,
    root: parent.header.stateRoot,
    // Difficulty and the like, for which the library wants a whole blockchain.
    skipBlockValidation: true,
    skipHeaderValidation: true,
  })
  expect({
    stateRoot: bytesToHex(result.stateRoot),
    receiptsRoot: bytesToHex(result.receiptsRoot),
    accessList: result.blockLevelAccessList && listed(result.blockLevelAccessList.serialize()),
    gasUsed: result.gasUsed,
    logs: result.receipts.map(({ logs }) => logs),
  }).toEqual({
    stateRoot: toHex(block.header.stateRoot),
    receiptsRoot: toHex(block.header.receiptsRoot),
    accessList: block.accessList && listed(block.accessList),
    gasUsed: block.header.gasUsed,
    logs: block.executed.map(({ logs }) => logs),
  })
}

/** A block access list as text, an account a line. */
function listed(rlp: Uint8Array): string[] {
  return formatAccessList(rlp).map((account) => JSON.stringify(account))
}
