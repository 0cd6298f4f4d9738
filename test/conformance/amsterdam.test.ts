import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { resolveOptions } from '../../devnet/options/options.ts'
import { temporaryFile } from '../support/genesisFile.ts'
import { sample } from '../support/longRuns.ts'
import { conformanceData, describeConformance } from './conformance.ts'
import { builtAgain, type FirstBlock } from './firstBlock.ts'
import { AMSTERDAM_FOLDERS } from './sources.ts'

/** How many tests each folder has, and how many of them give the same here. */
const COUNTS: Readonly<Record<(typeof AMSTERDAM_FOLDERS)[number], readonly [number, number]>> = {
  eip7708_eth_transfer_logs: [99, 63],
  eip7843_slotnum: [7, 2],
  eip7928_block_level_access_lists: [498, 290],
  eip8024_dupn_swapn_exchange: [193, 192],
}

// The tests that are left out, at least for some of their parameters, each with what has changed since they were filled.

const BURN = 'EIP-7708 had a log for burnt ether, and EIP-8246 was not there: nothing is burnt now'
const LIMIT =
  'its gas limit was for the costs of that time, and does not suffice for state gas and for EIPs 2780 and 8038'
const INNER = 'the same of the gas that a call in it gets'
const OOG =
  'it gives just as much gas as runs out at one place, by the costs of that time: it runs out elsewhere, or not at all'
const FEES = 'it gives a sender just the ether for the costs of that time'

const LEFT_OUT: Readonly<Record<string, string>> = {
  test_finalization_burn_log_single_account_multiple_transfers: BURN,
  test_finalization_burn_logs: BURN,
  test_finalization_burn_logs_multi_account_ordering: BURN,
  test_selfdestruct_finalization_after_priority_fee: BURN,
  test_selfdestruct_same_tx_via_call: BURN,
  test_selfdestruct_to_different_address_same_tx: LIMIT,
  test_selfdestruct_to_self_same_tx: LIMIT,
  test_bal_create_selfdestruct_to_self_with_call: BURN,
  test_simple_transfer_mainnet: LIMIT,
  test_multiple_transfers_same_block: LIMIT,
  test_simple_transfer_emits_log: LIMIT,
  test_transfer_to_special_address: LIMIT,
  test_transfer_with_all_tx_types: LIMIT,
  test_slotnum_gas_cost: LIMIT,
  test_slotnum_value: LIMIT,
  test_bal_balance_changes: LIMIT,
  test_bal_block_rewards: LIMIT,
  test_bal_coinbase_zero_tip: LIMIT,
  test_bal_cross_tx_storage_revert_to_zero: LIMIT,
  test_bal_delegated_storage_writes: INNER,
  test_bal_multiple_balance_changes_same_account: FEES,
  test_bal_nonce_changes: LIMIT,
  test_bal_nonexistent_value_transfer: LIMIT,
  test_bal_noop_write_filtering: LIMIT,
  test_bal_system_contract_noop_filtering: LIMIT,
  test_bal_withdrawal_and_transaction: LIMIT,
  test_bal_withdrawal_and_value_transfer_same_address: LIMIT,
  test_bal_withdrawal_to_coinbase: LIMIT,
  test_bal_7002_clean_sweep: LIMIT,
  test_bal_balance_and_oog: OOG,
  test_bal_call_7702_delegation_and_oog: OOG,
  test_bal_call_no_delegation_and_oog_before_target_access: OOG,
  test_bal_callcode_7702_delegation_and_oog: OOG,
  test_bal_callcode_no_delegation_and_oog_before_target_access: OOG,
  test_bal_create_and_oog: OOG,
  test_bal_delegatecall_7702_delegation_and_oog: OOG,
  test_bal_delegatecall_no_delegation_and_oog_before_target_access: OOG,
  test_bal_extcodecopy_and_oog: OOG,
  test_bal_extcodesize_and_oog: OOG,
  test_bal_sload_and_oog: OOG,
  test_bal_sstore_and_oog: OOG,
  test_bal_staticcall_7702_delegation_and_oog: OOG,
  test_bal_staticcall_no_delegation_and_oog_before_target_access: OOG,
  test_swapn_preserves_other_stack_items: LIMIT,
}

/** By default the fast one; in the full run the library. */
const ENGINE = resolveOptions().engine
const JUDGE = ENGINE === 'fast' ? 'library' : 'fast'
const ENGINES_DIFFER = 'the engines differ'

const genesisFile = temporaryFile('genesis.json', '')

/**
 * How the block of a test differs, if it does; `undefined` if it does not. Of one that differs the other engine is the judge:
 * both must build the same.
 */
async function differenceOf(block: FirstBlock): Promise<string | undefined> {
  try {
    const { expected, actual, ranOut, hash } = await builtAgain(block, genesisFile, ENGINE)
    if (isDeepStrictEqual(expected, actual)) return undefined
    const judged = await builtAgain(block, genesisFile, JUDGE)
    if (judged.hash !== hash) return `${ENGINES_DIFFER}: ${JUDGE} makes ${judged.hash}, not ${hash}`
    const isOutOfGas = expected.receipts.some(
      ({ status }, index) => status && !actual.receipts[index]?.status && ranOut[index],
    )
    return isOutOfGas ? 'out of gas' : 'other'
  } catch (error) {
    return String(error)
  }
}

describeConformance(
  'the first blocks of tests of Amsterdam, of April 2026',
  () => {
    test.each(AMSTERDAM_FOLDERS)(
      '%s: receipts, logs and access lists are the same but for gas',
      { timeout: 300_000 },
      async (folder) => {
        const file = join(conformanceData.amsterdam, `${folder}.jsonl.gz`)
        const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
        const failed: string[] = []
        const chosen = sample(lines)
        let same = 0
        for (const line of chosen) {
          // The files have this form; what they lack would fail below.
          const block = JSON.parse(line) as FirstBlock
          const difference = await differenceOf(block)
          const [, name = ''] = /::(\w+)/.exec(block.name) ?? []
          if (difference === undefined) same++
          else if (LEFT_OUT[name] === undefined || difference.startsWith(ENGINES_DIFFER))
            failed.push(`${block.name}: ${difference}`)
          else if (LEFT_OUT[name] === LIMIT && difference !== 'out of gas') {
            failed.push(`${block.name} must run out of gas: ${difference}`)
          }
        }
        expect(failed).toEqual([])
        const [total, played] = COUNTS[folder]
        expect(lines).toHaveLength(total)
        if (chosen.length === total) expect(same).toBe(played)
      },
    )
  },
  'amsterdam',
)
