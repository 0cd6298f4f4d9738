import { type AnvilMode, anvilModes, type Mode, modes, type Network } from './modes.ts'

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
  /** In the place of anvil, for programs of Foundry, which have a table of their own. */
  readonly likeAnvil?: Readonly<Record<AnvilMode, Outcome>>
  /** True if the default node notices it. Default: true if it fails there */
  readonly isNoticed?: boolean
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

/** A program of Foundry: `--anvil` alone does as the default does. */
function ofFoundry(outcomes: Program['outcomes']) {
  return { outcomes, likeAnvil: { anvil: outcomes.default, 'anvil instant': 'works' } } as const
}

/** Waits for blocks, and says only then what is missing. */
const withoutHash: Outcome = { fails: 'without the hash of its block', sealInterval: 3_000 }

/** Named as their files in `scenarios/`. The documents and `run.ts` take the table from here. */
export const programs: Readonly<Record<string, Program>> = {
  cast: {
    title: '`cast send`, five times',
    ...ofFoundry(failsByDefault('nonce too low')),
    onNetworks: onNetworks('nonce too low'),
  },
  castNonce: {
    title: '`cast send --nonce $(cast nonce --block pending …)`, five times',
    ...ofFoundry(works),
  },
  castAsync: {
    title: '`cast send --async` with such nonces, then `cast receipt`',
    ...ofFoundry(works),
  },
  castSync: {
    title: '`cast send --sync` with such nonces',
    ...ofFoundry(works),
  },
  castWallet: {
    title: '`cast wallet`: `address`, `sign`, `verify`; `cast mktx`, then `cast publish`',
    ...ofFoundry(works),
  },
  castUnlocked: {
    title: '`cast rpc anvil_impersonateAccount`, then `cast send --unlocked`',
    ...ofFoundry(works),
  },
  castRpc: {
    title: '`cast rpc`: `anvil_setBalance`, `evm_snapshot`, `evm_mine`, `evm_revert`',
    ...ofFoundry(works),
  },
  castLatest: {
    title: '`forge create`, then `cast code`, `storage`, `call`',
    ...ofFoundry(failsByDefault('does not have any code')),
  },
  castPending: {
    title: 'the same, `estimate` and `access-list`, with `--block pending`',
    ...ofFoundry(works),
  },
  castLogs: {
    title: '`cast logs` without `--to-block`',
    ...ofFoundry(needsBlocks('no logs')),
    // Whoever follows sealed blocks asks for their logs.
    isNoticed: false,
  },
  castPendingLogs: {
    title: '`cast logs --to-block pending`',
    ...ofFoundry(works),
  },
  castRun: {
    title: '`cast run` of a transaction that needs the one before it',
    ...ofFoundry(needsBlocks('another gas than in the receipt')),
  },
  castCallTrace: {
    title: '`cast call --trace --block pending` of a contract just deployed',
    ...ofFoundry(needsBlocks('an empty trace')),
  },
  castTrace: {
    title: '`cast rpc debug_traceTransaction`, `debug_traceCall` instead',
    ...ofFoundry(works),
  },
  forgeScript: {
    title: '`forge script --broadcast` alone',
    ...ofFoundry(works),
  },
  forge: {
    title: '`forge create`, then `forge script --broadcast`',
    ...ofFoundry(needsBlocks('nonce too low', 'does not contain any code')),
    onNetworks: onNetworks('nonce too low'),
  },
  forgeSeal: {
    title: 'the same, with `cast rpc preconf_seal` between them',
    ...ofFoundry(works),
  },
  forgeUnlocked: {
    title: '`forge script --broadcast --unlocked --sender`',
    ...ofFoundry(works),
  },
  forgeSlow: {
    title: '`forge script --slow`, and the hashes of blocks in `run-latest.json`',
    ...ofFoundry({ ...works, default: withoutHash, 'latest ticks': withoutHash }),
  },
  forgeFork: {
    title: '`forge create`, then `forge test --fork-url`',
    ...ofFoundry(needsBlocks('EvmError: Revert')),
  },
  forgeSealFork: {
    title: 'the same, with `cast rpc preconf_seal` between them',
    ...ofFoundry(works),
  },
  foundryPage: {
    title: 'the blocks of this page',
    ...ofFoundry(works),
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

/** The table of the programs that are not Foundry's. */
export function programsMarkdown(): string {
  return markdown(modes, ({ likeAnvil }) => likeAnvil === undefined)
}

/** The table of cast and forge. */
export function foundryMarkdown(): string {
  return markdown({ ...modes, ...anvilModes }, ({ likeAnvil }) => likeAnvil !== undefined)
}

function markdown(
  columns: Readonly<Record<string, { readonly title: string }>>,
  isWanted: (program: Program) => boolean,
): string {
  const flags = Object.values(columns).map(({ title }) => title)
  return [
    `| | ${flags.join(' | ')} |`,
    `|---|${flags.map(() => '---|').join('')}`,
    ...Object.values(programs)
      .filter(isWanted)
      .map(({ title, outcomes, likeAnvil }) => {
        const cells = Object.values({ ...outcomes, ...likeAnvil }).map((outcome) =>
          outcome === 'works' ? 'works' : `\`${outcome.fails}\``,
        )
        return `| ${[title, ...cells].join(' | ')} |`
      }),
    '',
  ].join('\n')
}
