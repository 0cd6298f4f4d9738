import { expectTypeOf, test } from 'vitest'
import type * as wire from '../../../../devnet/wallet/page/wire.ts'
import type { HistoryEntry, WalletState } from '../../../../devnet/wallet/types.ts'

test('behavior: the page knows what the control endpoint says', () => {
  expectTypeOf<WalletState>().toExtend<wire.WalletState>()
  expectTypeOf<HistoryEntry>().toExtend<wire.HistoryEntry>()
})
