import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { FUNDED } from '../../../support/genesisFile.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { createRpcChain } from '../../rpc/methods/rpcChain.ts'
import { at, type BlockJson, type DumpJson, type TransactionJson } from './dumpJson.ts'
import { dumpOf, playTraffic, restored } from './support.ts'

/** A dump with everything that a dump can have. */
async function wholeDump(): Promise<string> {
  const node = await createRpcChain()
  await playTraffic(node, 2, 60)
  return dumpOf(node)
}

let made: Promise<string> | undefined
const wholeOnce = () => {
  made ??= wholeDump()
  return made
}

/** The dump as `change` leaves it. */
async function changed(change: (json: DumpJson) => void): Promise<string> {
  const json: DumpJson = JSON.parse(await wholeOnce())
  change(json)
  return JSON.stringify(json)
}

const ZERO: Hex = `0x${'00'.repeat(32)}`

/** The entry of the first transaction that logs something, and the block that it is in. */
function logging(json: DumpJson): { block: BlockJson; entry: TransactionJson } {
  const entry = json.transactions?.find(({ receipt }) => receipt.logs.length > 0)
  if (entry === undefined) throw new Error('Nothing was logged')
  return { block: at(json.blocks, entry.block_number), entry }
}

/** The values before a block, and an address of which there is one. */
function undone(json: DumpJson): { accounts: Record<string, object | null>; address: string } {
  const accounts = at(json.blocks, 2).undo?.accounts ?? {}
  return { accounts, address: at(Object.keys(accounts), 0) }
}

function own({ pending_node }: DumpJson): NonNullable<DumpJson['pending_node']> {
  if (pending_node === undefined) throw new Error('It is a dump of this node')
  return pending_node
}

const CREATE2 = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const CASES: [name: string, change: (json: DumpJson) => void, message: RegExp][] = [
  [
    'a header without a field',
    (json) => {
      delete at(json.blocks, 1).header.stateRoot
    },
    /blocks\.1\.header\.stateRoot is missing\.$/,
  ],
  [
    'a header with a field that is none',
    (json) => {
      at(json.blocks, 1).header.gasUsed = 'much'
    },
    /blocks\.1\.header\.gasUsed must be a whole number, not "much"\.$/,
  ],
  [
    'another timestamp',
    (json) => {
      at(json.blocks, 1).header.timestamp = '0x1'
    },
    /block 1 has the hash 0x\w+, expected 0x\w+: its header was changed\.$/,
  ],
  [
    'another timestamp of the newest block',
    (json) => {
      at(json.blocks, -1).header.timestamp = '0x7fffffff'
    },
    /block \d+ has the hash 0x\w+, expected 0x\w+: its header was changed\.$/,
  ],
  [
    'a block that is missing',
    (json) => {
      json.blocks?.splice(1, 1)
    },
    /block 2 follows on block 0\.$/,
  ],
  [
    'no blocks',
    (json) => {
      json.blocks = []
    },
    /has no blocks\.$/,
  ],
  [
    'another value of a transaction',
    (json) => {
      const { block } = logging(json)
      at(block.transactions, 0).transaction.nonce = '0x99'
    },
    /transaction_hash is 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'a transaction that nobody signed',
    (json) => {
      const { block } = logging(json)
      at(block.transactions, 0).transaction.s = `0x${'ff'.repeat(32)}`
    },
    /transaction 0x\w+ is refused: .*\.$/,
  ],
  [
    'a receipt that is missing',
    (json) => {
      const { entry } = logging(json)
      json.transactions = json.transactions?.filter((one) => one !== entry) ?? []
    },
    /block \d+ \(0x\w+\) has \d+ transactions and \d+ receipts\.$/,
  ],
  [
    'a log that says something else',
    (json) => {
      at(logging(json).entry.receipt.logs, 0).data = ZERO
    },
    /block \d+ has receiptsRoot 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'a receipt that says otherwise',
    (json) => {
      logging(json).entry.receipt.status = '0x0'
    },
    /block \d+ has receiptsRoot 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'withdrawals',
    (json) => {
      at(json.blocks, 1).withdrawals = [
        { index: '0x0', validatorIndex: '0x0', address: FUNDED[0], amount: '0x1' },
      ]
    },
    /block 1 has withdrawalsRoot 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'another balance',
    (json) => {
      at(json.accounts, FUNDED[2]).balance = '0x1'
    },
    /the state after block \d+ has the root 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'an account that is missing',
    (json) => {
      delete json.accounts['0x000f3df6d732807ef1319fb7b8bb8522d0beac02']
    },
    /the state after block \d+ has the root 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'other code',
    (json) => {
      at(json.accounts, CREATE2).code = '0x00'
    },
    /the state after block \d+ has the root|names a code that is not there/,
  ],
  [
    'half a byte of code',
    (json) => {
      at(json.accounts, CREATE2).code = '0x0'
    },
    /accounts\.0x4e59\w+\.code must be whole bytes in hexadecimal, not "0x0"\.$/,
  ],
  [
    'a value that was before',
    (json) => {
      const { accounts, address } = undone(json)
      accounts[address] = { nonce: '0x5', balance: '0x5' }
    },
    /the state after block \d+ has the root 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'an address that is none',
    (json) => {
      undone(json).accounts['0x12'] = null
    },
    /blocks\.2\.undo\.accounts\.0x12 is not an address of 40 hexadecimal digits\.$/,
  ],
  [
    'a code that nobody has',
    (json) => {
      const { accounts, address } = undone(json)
      const record = { nonce: '0x5', balance: '0x5', code_hash: `0x${'77'.repeat(32)}` }
      accounts[address] = record
    },
    /code_hash names a code that is not there\.$/,
  ],
  [
    'a hardfork of tomorrow',
    (json) => {
      own(json).forks.first.hardfork = 'verkle'
    },
    /pending_node\.forks\.first\.hardfork is verkle, which this node does not know\.$/,
  ],
  [
    'another format',
    (json) => {
      own(json).format = 99
    },
    /has format 99, and this version reads format 1 only: use the version that wrote it\.$/,
  ],
  [
    'a pre-confirmed transaction that is none',
    (json) => {
      at(own(json).pending.transactions, 0).raw = '0x1234'
    },
    /transaction 0x\w+ is refused: .*\.$/,
  ],
]

describe('one sentence says what is wrong', () => {
  test.each(CASES)('%s', async (_, change, message) => {
    const loading = restored(await changed(change))
    await expect(loading).rejects.toThrow(ChainFileError)
    await expect(loading).rejects.toThrow(message)
    await expect(loading).rejects.toThrow(/state\.json/)
  })

  test('half a file', async () => {
    const whole = await wholeOnce()
    const loading = restored(whole.slice(0, whole.length / 2))
    await expect(loading).rejects.toThrow(/state\.json is not JSON: /)
  })

  test('half a packed file', async () => {
    const packed = gzipSync(await wholeOnce())
    const loading = restored(packed.subarray(0, packed.length / 2))
    await expect(loading).rejects.toThrow(/state\.json cannot be unpacked: /)
  })

  test('a packed file that unpacks to far too much', async () => {
    const loading = restored(gzipSync(Buffer.alloc(200_000_000, ' ')))
    await expect(loading).rejects.toThrow(
      /state\.json unpacks to more than 67108864 bytes, which is no state: unpack it yourself if it is one\.$/,
    )
  })

  test('what could control a terminal is escaped', async () => {
    await expect(restored('\u001b[31m\u0000')).rejects.toThrow(
      /state\.json is not JSON: [ -~]*\\x1b\[31m\\x00[ -~]*$/,
    )
    const name = '\u009b2J\u202e'
    await expect(restored({ accounts: { [name]: {} } })).rejects.toThrow(
      /accounts\.\\x9b2J\\u202e is not an address/,
    )
  })

  test('something else', async () => {
    await expect(restored('[]')).rejects.toThrow(/state\.json must hold a JSON object\.$/)
    await expect(restored({ abi: [] })).rejects.toThrow(
      /state\.json is not a state of this node or of anvil: it has no accounts\.$/,
    )
  })
})

test('no digit can be changed unseen', async () => {
  const random = new Random(3)
  const whole = await wholeOnce()
  // What lies behind is said of the node, and not of its chain.
  const end = whole.indexOf('"pending_node"')
  for (let round = 0; round < runs(500); round++) {
    let at = random.below(end)
    while (!/[0-9a-f]/.test(whole[at] ?? '')) at = random.below(end)
    const digit = whole[at] === '7' ? '8' : '7'
    const text = `${whole.slice(0, at)}${digit}${whole.slice(at + 1)}`
    const loaded = await restored(text).catch((error: unknown) => error)
    if (loaded instanceof ChainFileError) continue
    if (loaded instanceof Error) throw loaded
    // Only what follows from the rest, and is written for anvil, can say anything.
    const again = await dumpOf(loaded as Awaited<ReturnType<typeof restored>>)
    expect(again, text.slice(at - 60, at + 20)).toBe(whole)
  }
})
