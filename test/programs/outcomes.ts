import { type Mode, modes, type Network } from './modes.ts'

/** A program that does not work. */
interface Failure {
  /** Words of what the program prints. */
  readonly fails: string
  /**
   * Time in ms between two seals; by default 30,000, so that no seal hides by chance that the program
   * reads `latest` too early.
   */
  readonly sealInterval?: number
}

export type Outcome = 'works' | Failure

export interface Program {
  /** What it does, for the documents. */
  readonly title: string
  readonly outcomes: Readonly<Record<Mode, Outcome>>
  /** On profiles of the OP Stack. Default: not played */
  readonly onNetworks?: Readonly<Record<Network, Outcome>>
}

const works = {
  default: 'works',
  'receipts sealed': 'works',
  'latest ticks': 'works',
  instant: 'works',
} as const satisfies Record<Mode, Outcome>

/** Reads `latest` once it has a receipt, which most of these networks show before the seal. */
function onNetworks(words: string): Readonly<Record<Network, Outcome>> {
  const fails = { fails: words }
  return {
    ...{ base: 'works', megaeth: 'works' },
    ...{ 'base-flashblocks': fails, optimism: fails, 'op-subblocks': fails },
    ...{ unichain: fails, giwa: fails },
  }
}

/** Reads `latest` once it has a receipt. */
function failsByDefault(words: string) {
  return { ...works, default: { fails: words } }
}

/** As {@link failsByDefault}, and what it reads of blocks stays sealed with `--latest ticks`. */
function needsBlocks(words: string, wordsOnTicks = words) {
  return { ...failsByDefault(words), 'latest ticks': { fails: wordsOnTicks } }
}

/** Waits for blocks, and says only then what is missing. */
const withoutHash: Outcome = { fails: 'without the hash of its block', sealInterval: 3_000 }

/** Named as their files in `scenarios/`. The documents and `run.ts` take the table from here. */
export const programs: Readonly<Record<string, Program>> = {
  cast: {
    title: '`cast send`, five times',
    outcomes: failsByDefault('nonce too low'),
    onNetworks: onNetworks('nonce too low'),
  },
  forge: {
    title: '`forge create`, then `forge script --broadcast`',
    outcomes: needsBlocks('nonce too low', 'does not contain any code'),
    onNetworks: onNetworks('nonce too low'),
  },
  forgeSlow: {
    title: '`forge script --slow`, and the hashes of blocks in `run-latest.json`',
    outcomes: { ...works, default: withoutHash, 'latest ticks': withoutHash },
  },
  forgeFork: {
    title: '`forge create`, then `forge test --fork-url`',
    outcomes: needsBlocks('EvmError: Revert'),
  },
  ethers5: {
    title: 'ethers 5: deploy, send, read',
    outcomes: failsByDefault('call revert exception'),
  },
  ethers6: {
    title: 'ethers 6: deploy, send, read',
    outcomes: failsByDefault('could not decode result data (value="0x"'),
  },
  viem: {
    title: 'viem: deploy, send, read',
    outcomes: failsByDefault('returned no data ("0x")'),
  },
  viemPreconfirming: {
    title: 'the same with `experimental_preconfirmationTime`',
    outcomes: works,
  },
  web3: {
    title: 'web3 4: deploy, send, read',
    outcomes: failsByDefault('nonce too low'),
  },
  wagmi: {
    title: 'wagmi: deploy, send, read',
    outcomes: failsByDefault('returned no data ("0x")'),
  },
  safe: {
    title: "Safe's protocol-kit: an account, two transactions",
    outcomes: failsByDefault('MultiSend contract is not deployed on the current network'),
  },
  openzeppelinUpgrades: {
    title: 'OpenZeppelin Upgrades: a proxy, its upgrade',
    outcomes: {
      ...works,
      // It waits for a block before it fails.
      default: { fails: "doesn't look like an ERC 1967 proxy", sealInterval: 10_000 },
    },
  },
  hardhatDeploy: {
    title: 'hardhat-deploy: a script that deploys, sends, reads',
    outcomes: failsByDefault('Cannot decode zero data ("0x")'),
  },
  ponder: {
    title: 'Ponder: events of a contract, until the newest',
    outcomes: works,
  },
  alto: {
    title: 'the bundler Alto: its start, an operation',
    outcomes: failsByDefault('Failed to deploy simulationsContract'),
  },
  altoSafe: {
    title: 'Alto in safe mode: a simple account, an EIP-7702 account, paymasters',
    outcomes: failsByDefault('Failed to deploy simulationsContract'),
  },
}

/** The table of the documents. */
export function programsMarkdown(): string {
  const flags = Object.values(modes).map(({ title }) => title)
  return [
    `| | ${flags.join(' | ')} |`,
    `|---|${flags.map(() => '---|').join('')}`,
    ...Object.values(programs).map(({ title, outcomes }) => {
      const cells = Object.values(outcomes).map((outcome) =>
        outcome === 'works' ? 'works' : `\`${outcome.fails}\``,
      )
      return `| ${[title, ...cells].join(' | ')} |`
    }),
    '',
  ].join('\n')
}
