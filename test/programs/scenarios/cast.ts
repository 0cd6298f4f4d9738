// Five transactions in a row, as a shell script sends them.
import { cast, key, other } from './support.ts'

for (const value of ['1', '2', '3', '4', '5']) {
  cast('send', '--private-key', key, other, '--value', value)
}
