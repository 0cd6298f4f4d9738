import { dumpChunks } from '../../../devnet/persistence/dump/dumpText.ts'
import { writeWhole } from '../../../devnet/persistence/stateFile.ts'
import { EMPTY_CODE_HASH } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import type { StateDiff } from '../../../devnet/state/types.ts'
import { createTestChain } from '../../support/chain.ts'

/** Saves a chain with 500 accounts more than a fresh one to the file given, for ever; prints a dot after each time. */
const [, , path = ''] = process.argv
const { chain, clocks } = await createTestChain()
const accounts: StateDiff['accounts'] = new Map()
for (let index = 1; index <= 500; index++) {
  const key = addressKeyFromHex(`0xee${String(index).padStart(38, '0')}`)
  accounts.set(key, { nonce: 0n, balance: BigInt(index), codeHash: EMPTY_CODE_HASH })
}
await chain.write((job) => job.cheat(() => ({ accounts, storage: new Map() })))
for (;;) {
  const capture = await chain.write(() => ({
    ...chain.capture(),
    clock: clocks.save(),
    instanceId: undefined,
  }))
  await writeWhole(path, dumpChunks(capture))
  capture.release()
  process.stdout.write('.')
}
