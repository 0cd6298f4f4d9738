import { dumpChunks } from '../../../devnet/persistence/dump/dumpText.ts'
import { SavedFile } from '../../../devnet/persistence/savedFile.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createTestChain } from '../../support/chain.ts'

/** Saves a chain with 500 accounts more than a fresh one to the file given, for ever; prints a dot after each time. */
const [, , path = ''] = process.argv
const { chain, clocks } = await createTestChain()
await chain.write((writer) => {
  for (let index = 1; index <= 500; index++) {
    const address: Hex = `0xee${String(index).padStart(38, '0')}`
    writer.cheat({ kind: 'setBalance', address, balance: BigInt(index) })
  }
})
const file = await SavedFile.open(path)
for (;;) {
  const capture = await chain.write(() => ({
    ...chain.capture(),
    clock: clocks.save(),
    instanceId: undefined,
  }))
  await file.save(dumpChunks(capture))
  capture.release()
  process.stdout.write('.')
}
