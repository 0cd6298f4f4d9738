// Reads slots of an upstream into the disk cache, or into the recording at argv[5], as many as argv[4]
// says, from piece argv[6] on, and prints a line after each piece, until it is done or killed. It exits
// at once with argv[7].
import { argv } from 'node:process'
import { slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { openUpstream } from '../../../../devnet/upstream/openUpstream.ts'
import { CONTRACT, slotsOf } from '../fakeNode.ts'

const [, , url = '', cache = '', pieces = '1', recording, first = '0', ending] = argv
const upstream = await openUpstream({ url, block: 'latest', cache, recording })
for (let piece = Number(first); piece < Number(first) + Number(pieces); piece++) {
  const numbers = slotsOf(piece)
  await upstream.source.load({
    accounts: [CONTRACT],
    slots: numbers.map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const),
  })
  console.log(piece)
}
if (ending === 'exit') process.exit()
await upstream.close()
