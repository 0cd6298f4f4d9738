import { ISTHMUS, opGenesisState, opHardforkFromString } from '@nomicfoundation/edr'
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import {
  GAS_PRICE_ORACLE_CODE,
  L1_BLOCK_CODE,
} from '../../../../devnet/protocol/rollup/rollupCodes.ts'

test('GasPriceOracle and L1Block are those of EDR', () => {
  const accounts = opGenesisState(opHardforkFromString(ISTHMUS))
  const codeOf = (end: string) => {
    const account = accounts.find(({ address }) => toHex(address).endsWith(end))
    return account?.code && toHex(account.code)
  }
  expect(GAS_PRICE_ORACLE_CODE).toBe(codeOf('000000000f'))
  expect(L1_BLOCK_CODE).toBe(codeOf('0000000015'))
})
