import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of a public repository, as they are in one commit. */
export interface Source {
  readonly repository: string
  /** The full hash, which pins every byte. */
  readonly commit: string
  /** Patterns as in `.gitignore`, of what is fetched. */
  readonly files: readonly string[]
}

const EXECUTION_APIS = 'https://github.com/ethereum/execution-apis'

/** Recordings of geth's answers, and the chain that they are about; CC0. */
export const RECORDINGS: Source = {
  repository: EXECUTION_APIS,
  commit: '033ca6e69da000445840d2060ff47e5e56172a86',
  files: ['/tests/'],
}

/** The OpenRPC document that was built of the same commit, on its branch assembled-spec-main; CC0. */
export const SPECIFICATION: Source = {
  repository: EXECUTION_APIS,
  commit: 'f56fd1d7d2217994680f8dd13a9daa206573e18a',
  files: ['/openrpc.json'],
}

/** The filled fixtures of ethereum/execution-spec-tests, in a copy that has each in a file of its own; CC0. */
export const FIXTURES: Source = {
  repository: 'https://github.com/erigontech/eest-fixtures',
  commit: 'ec66995f0debb19fb1e0e4499cf7e4a172b46028',
  files: ['/blockchain_tests/', '/blockchain_tests_devnet/for_amsterdam/amsterdam/'],
}

/**
 * The folders of Amsterdam's fixtures that are played: EIPs whose text is as it was in April 2026, when they were filled
 * (bal@v5.7.0). Gas has changed since: no state root of theirs is valid today.
 */
export const AMSTERDAM_FOLDERS = [
  'eip7708_eth_transfer_logs',
  'eip7843_slotnum',
  'eip7928_block_level_access_lists',
  'eip8024_dupn_swapn_exchange',
] as const

/**
 * Fetches the files of a source into an empty folder.
 *
 * @throws Error if there is no git, or what it says if it fails
 */
export function fetchSource({ repository, commit, files }: Source, folder: string): void {
  const git = (...args: string[]) => {
    const { status, stderr, error } = spawnSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      // Pointers to large files stay pointers, which the sample leaves out.
      env: { ...process.env, GIT_LFS_SKIP_SMUDGE: '1', GIT_TERMINAL_PROMPT: '0' },
    })
    if (error !== undefined) throw error
    if (status !== 0) {
      throw new Error(`git ${args[0]} of ${repository} at ${commit} has failed: ${stderr}`)
    }
  }
  git('init', '--quiet')
  git('remote', 'add', 'origin', repository)
  // Windows: the bytes of the commit, in paths of any length.
  git('config', 'core.autocrlf', 'false')
  git('config', 'core.longpaths', 'true')
  git('config', 'core.sparseCheckout', 'true')
  writeFileSync(join(folder, '.git/info/sparse-checkout'), `${files.join('\n')}\n`)
  git('fetch', '--quiet', '--depth=1', '--filter=blob:none', 'origin', commit)
  git('checkout', '--quiet', '--detach', 'FETCH_HEAD')
}

/** The JSON schema of each method's result, out of an OpenRPC document; descriptions are dropped. */
export function resultSchemas(openRpc: string): Readonly<Record<string, unknown>> {
  const document: {
    readonly methods: readonly { readonly name: string; readonly result?: { schema: unknown } }[]
  } = JSON.parse(openRpc, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
  return Object.fromEntries(document.methods.map(({ name, result }) => [name, result?.schema]))
}

/** One test of a file of fixtures, as far as it is played. */
interface BlockchainTest {
  readonly network: string
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

/** The networks of the sample; transitions from one to the next belong to it. */
const NETWORKS = 'Berlin|London|Paris|Shanghai|Cancun|Prague|Osaka|BPO1|BPO2'
const NETWORK = new RegExp(`^(?:${NETWORKS})(?:To(?:${NETWORKS})AtTime15k)?$`)

/** Tests of one file in the sample, each of another network. */
const TESTS_OF_FILE = 3

/** The size that a test of the sample stays below, in characters of JSON. */
const TEST_SIZE = 120_000

/** The size that a file of the sample stays below, in characters. */
export const FILE_SIZE = 4 * 1024 * 1024

const FIELDS = ['network', 'config', 'genesisBlockHeader', 'genesisRLP', 'pre'] as const
const BLOCK_FIELDS = ['rlp', 'expectException', 'blocknumber'] as const

/**
 * The tests of a file of fixtures that belong to the sample, in the order of the hashes of their names: without the
 * decoded copies of their blocks. None of a file that is a pointer to a large one.
 */
export function sampleOf(fixtures: string): readonly object[] {
  if (fixtures.startsWith('version ')) return []
  const tests: Readonly<Record<string, BlockchainTest>> = JSON.parse(fixtures)
  const networks = new Set<string>()
  const sample: object[] = []
  for (const name of Object.keys(tests).sort((one, other) => (hash(one) < hash(other) ? -1 : 1))) {
    const test = tests[name]
    if (test === undefined || networks.has(test.network) || !NETWORK.test(test.network)) continue
    const played = {
      name,
      ...picked(test, FIELDS),
      blocks: test.blocks.map((block) => picked(block, BLOCK_FIELDS)),
      lastblockhash: test.lastblockhash,
    }
    if (JSON.stringify(played).length >= TEST_SIZE) continue
    networks.add(test.network)
    if (sample.push(played) === TESTS_OF_FILE) break
  }
  return sample
}

/**
 * The first block of each test in a file of Amsterdam's fixtures, if it is valid, with what the filler says about it:
 * receipts without gas, and the access list.
 */
export function firstBlocksOf(fixtures: string): readonly object[] {
  if (fixtures.startsWith('version ')) return []
  const tests: Readonly<Record<string, AmsterdamTest>> = JSON.parse(fixtures)
  return Object.entries(tests).flatMap(([name, test]) => {
    const [block] = test.blocks
    if (block?.receipts === undefined || block.expectException !== undefined) return []
    const { rlp, receipts, blockAccessList, transactions } = block
    return [
      {
        name,
        ...picked(test, ['config', 'genesisBlockHeader', 'pre']),
        rlp,
        receipts: receipts.map(({ status, logs }) => ({ status, logs })),
        blockAccessList,
        senders: transactions.map(({ sender }) => sender),
      },
    ]
  })
}

/** A test of Amsterdam's fixtures, as far as it is read here. */
interface AmsterdamTest {
  readonly blocks: readonly {
    readonly rlp: string
    readonly expectException?: string
    readonly receipts?: readonly { readonly status: unknown; readonly logs: unknown }[]
    readonly blockAccessList: unknown
    readonly transactions: readonly { readonly sender: string }[]
  }[]
  readonly [field: string]: unknown
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

/** The fields that are there, in the order of the names. */
function picked(from: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(
    names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  )
}
