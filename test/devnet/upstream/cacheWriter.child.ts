// Reads slots of an upstream into the disk cache, as many as argv[4] says, and prints a line after each
// piece, until it is done or killed.
import { argv } from 'node:process'
import { slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { openUpstream } from '../../../devnet/upstream/openUpstream.ts'
import { CONTRACT, slotsOf } from './fakeNode.ts'

const [, , url = '', cache = '', pieces = '1'] = argv
const upstream = await openUpstream({ url, block: 'latest', cache })
for (let piece = 0; piece < Number(pieces); piece++) {
  const numbers = slotsOf(piece)
  await upstream.source.load({
    accounts: [CONTRACT],
    slots: numbers.map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const),
  })
  console.log(piece)
}
await upstream.close()
