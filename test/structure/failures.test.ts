import { EVMError } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import { HALTS } from '../../devnet/protocol/halt.ts'
import { readSources } from './sources.ts'

const sources = readSources().filter(({ path }) => path.startsWith('devnet/'))

const filesWith = (isMeant: (line: string) => boolean) =>
  sources.filter(({ lines }) => lines.some(isMeant)).map(({ path }) => path)

test('one file knows how @ethereumjs says why something failed', () => {
  const theirs = new Set<string>(Object.values(EVMError.errorMessages))
  for (const ours of ['stop', ...Object.values(HALTS)]) theirs.delete(ours)
  expect(theirs.size).toBeGreaterThan(10)
  const files = filesWith((line) => [...theirs].some((words) => line.includes(`'${words}'`)))
  expect(files).toEqual(['devnet/engine/library/libraryWords.ts'])
})

/** Decides by the message of an error, or by a reason. */
const DECIDES =
  /\b(?:message|reason)\)?\.(?:match|search|includes|startsWith|endsWith)\(|\.(?:test|exec)\((?:\w+\.)*(?:message|reason)\)|(?<!typeof [\w.]*)\bmessage [!=]== ['"`](?!['"`])/

test('nothing is decided by the words of an error but at the doors of others', () => {
  expect(filesWith((line) => DECIDES.test(line)).sort()).toEqual([
    'devnet/engine/library/libraryWords.ts',
    // Of the node that is forked.
    'devnet/rpc/border/remoteLogSearch.ts',
    // Of the node behind the wallet or the plugin, which ask it as any client does.
    'devnet/rpc/naming/entryLookup.ts',
    'devnet/upstream/client/answers.ts',
  ])
})
