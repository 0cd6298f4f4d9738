// Five transactions in a row, as a shell script sends them.
import { foundry, key, other, url } from './support.ts'

for (const value of ['1', '2', '3', '4', '5']) {
  foundry('cast', ['send', '--rpc-url', url, '--private-key', key, other, '--value', value])
}
