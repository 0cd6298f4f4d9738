/** A change of a file: `text` in place of `old`, or a new file. */
interface Edit {
  readonly file: string
  /** Stands there once. */
  readonly old?: string
  readonly text: string
}

/** A step of a recipe. */
export interface Step {
  readonly edits: readonly Edit[]
  /** Who notices if it is left out: the tests, the compiler, or `npm run generate`. */
  readonly by: 'tests' | 'types' | 'generate'
  /** Words of a line with which they do: the file, and what to write. */
  readonly failure: readonly string[]
}

export interface Recipe {
  /** As ARCHITECTURE.md begins it. */
  readonly title: string
  /** What the steps are about, which has a failure only with them. */
  readonly begin: readonly Edit[]
  readonly steps: readonly Step[]
}

/** The text with lines after a place. */
const behind = (file: string, place: string, text: string): Edit => ({
  file,
  old: place,
  text: `${place}${text}`,
})

/** A test that plays nothing: what it is about is not. */
const testOf = (file: string, name: string): Edit => ({
  file,
  text: `import { expect, test } from 'vitest'

test('${name}', () => {
  expect('${name}').toMatch(/\\w/)
})
`,
})

const METHOD = 'devnet/rpc/methods/demo_balances.ts'
const COMMAND = 'devnet/rpc/methods/hardhat_clearCode.ts'

/** Each recipe of "How to add", with something small. */
export const recipes: readonly Recipe[] = [
  {
    title: 'An RPC method',
    begin: [
      {
        file: METHOD,
        text: `import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity } from '../../primitives/hex.ts'
import { listOf, optional } from '../../primitives/reader.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(listOf(address(), 'a list of addresses'), optional(blockReference())),
  handle(context, [accounts, block]) {
    const state = stateAt(context, block)
    return accounts.map((account) =>
      quantity(state.account(addressKeyFromHex(account))?.balance ?? 0n),
    )
  },
})
`,
      },
    ],
    steps: [
      {
        edits: [behind(METHOD, 'optional(blockReference())),', "\n  remote: 'state',")],
        by: 'tests',
        failure: [`${METHOD}: write remote: 'state'`],
      },
      {
        edits: [behind(METHOD, 'optional(blockReference())),', '\n  readsState: true,')],
        by: 'tests',
        failure: [`${METHOD}: write readsState: true`],
      },
      {
        edits: [
          behind(
            'test/docs/methodsMarkdown.ts',
            "['`eth_`', /^eth_/],",
            "\n  ['of a demo', /^demo_/],",
          ),
        ],
        by: 'generate',
        failure: [
          "npm run generate: test/docs/methodsMarkdown.ts: add to ROWS ['<what it is about>', /^demo_balances$/]",
        ],
      },
      {
        edits: [behind('devnet/rpc/methods/rpc_modules.ts', "  'debug',", "\n  'demo',")],
        by: 'tests',
        failure: ["devnet/rpc/methods/rpc_modules.ts: 'demo' in NAMESPACES"],
      },
      {
        edits: [
          behind(
            'test/support/methodParams.ts',
            'const OWN: Readonly<Record<string, Kind>> = {',
            "\n  'demo_balances 0': { good: ({ account }: Named) => [account], bad: ['0x', 5, {}, [5]] },",
          ),
        ],
        by: 'tests',
        failure: ["test/support/methodParams.ts: add to OWN the line 'demo_balances 0': {"],
      },
      {
        edits: [
          behind(
            'test/devnet/rpc/latestTicks.test.ts',
            '  ots_hasCode: (_, block) => [FUNDED, ...block],',
            '\n  demo_balances: (_, block) => [[FUNDED], ...block],',
          ),
        ],
        by: 'tests',
        failure: ['test/devnet/rpc/latestTicks.test.ts: add to READS the line demo_balances:'],
      },
      {
        edits: [
          {
            file: 'test/devnet/rpc/methods/demo_balances.test.ts',
            text: `import { expect, test } from 'vitest'
import { createRpcChain } from './rpcChain.ts'

test('demo_balances has the balance of each', async () => {
  const { account, call } = await createRpcChain()
  expect(await call('demo_balances', [account(0).address])).toEqual([
    await call('eth_getBalance', account(0).address),
  ])
})
`,
          },
        ],
        by: 'tests',
        failure: ['test/devnet/rpc/methods: a test that calls demo_balances'],
      },
      {
        edits: [
          behind('devnet/README.md', '`eth_estimateGas`, `ots_hasCode`', ', `demo_balances`'),
        ],
        by: 'tests',
        failure: ['devnet/README.md: `demo_balances` in the table of What "pending" answers'],
      },
    ],
  },
  {
    title: 'An option',
    begin: [
      behind(
        'devnet/options/groups/limitOptions.ts',
        'export const limitOptions = {',
        `
  demoPeers: {
    type: 'integer',
    default: 0,
    min: 0,
    description: 'Peers that net_peerCount tells of.',
  },`,
      ),
    ],
    steps: [
      {
        edits: [
          {
            file: 'devnet/rpc/methods/net_peerCount.ts',
            old: "handle: () => '0x0',",
            text: "handle: ({ options }) => '0x'.concat(options.demoPeers.toString(16)),",
          },
        ],
        by: 'tests',
        failure: ['devnet/options: demoPeers is read nowhere'],
      },
      {
        edits: [
          behind('test/devnet/options/options.test.ts', 'const defaults = {', '\n  demoPeers: 0,'),
        ],
        by: 'tests',
        failure: ['test/devnet/options/options.test.ts: the default in `defaults`'],
      },
    ],
  },
  {
    title: 'A profile, or a row of the table',
    begin: [
      behind('devnet/options/groups/chainOptions.ts', "\n      'megaeth',", "\n      'demonet',"),
      behind(
        'devnet/options/profile.ts',
        'export interface Profile {',
        '\n  readonly demoRow: boolean',
      ),
    ],
    steps: [
      {
        edits: [
          behind(
            'devnet/options/profile.ts',
            "  tickInterval: '`--tick-interval`',",
            "\n  demoRow: 'A row of a demo',",
          ),
        ],
        by: 'types',
        failure: ['devnet/options/profile.ts(', 'demoRow'],
      },
      {
        edits: [
          behind(
            'devnet/options/profileTable.ts',
            'const plain: Cells = {',
            "\n  demoRow: [true, 'own'],",
          ),
        ],
        by: 'types',
        failure: ['devnet/options/profileTable.ts(', 'demoRow'],
      },
      {
        edits: [
          behind(
            'devnet/options/profileTable.ts',
            "const columns: Readonly<Record<Exclude<ProfileName, 'plain'>, Column>> = {",
            "\n  demonet: { parent: 'unichain', cells: { tickInterval: [100, 'own'] } },",
          ),
        ],
        by: 'types',
        failure: ['devnet/options/profileTable.ts(', 'demonet'],
      },
      {
        edits: [
          behind('devnet/options/groups/chainOptions.ts', 'xlayer, giwa, rise, ', 'demonet, '),
        ],
        by: 'tests',
        failure: ['devnet/options/groups/chainOptions.ts: demonet in the description of `profile`'],
      },
      {
        edits: [testOf('test/devnet/rpc/demonetProfile.test.ts', 'demonet')],
        by: 'tests',
        failure: ['test/devnet/rpc/profiles.test.ts: what is expected of the profile demonet'],
      },
    ],
  },
  {
    title: 'A cheat',
    begin: [
      behind(
        'devnet/chain/cheats.ts',
        'export type Cheat =',
        "\n  | { readonly kind: 'clearCode'; readonly address: Hex }",
      ),
      {
        file: COMMAND,
        text: `import { address, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address()),
  async handle({ clocks }, [address]) {
    await clocks.command((writer) => writer.cheat({ kind: 'clearCode', address }))
    return true
  },
})
`,
      },
    ],
    steps: [
      {
        edits: [
          behind(
            'devnet/chain/cheats.ts',
            'switch (cheat.kind) {',
            `
    case 'clearCode':
      return changeAccount(state, address, () => ({ codeHash: codes.add(new Uint8Array()) }))`,
          ),
        ],
        by: 'types',
        failure: ['devnet/chain/cheats.ts(', 'clearCode'],
      },
      {
        edits: [
          behind(
            'devnet/persistence/dump/diffsText.ts',
            'switch (kind) {',
            `
    case 'clearCode':
      return { kind, address }`,
          ),
        ],
        by: 'tests',
        failure: ["devnet/persistence/dump/diffsText.ts: the case 'clearCode' of readCheat"],
      },
      {
        edits: [behind(COMMAND, 'params: params(address()),', '\n  browser: false,')],
        by: 'tests',
        failure: [`${COMMAND}: write browser: false`],
      },
      {
        edits: [
          behind(
            'test/devnet/chain/steps.test.ts',
            '  ) => Extract<Cheat, { kind: Kind }>\n} = {',
            "\n  clearCode: (_, address) => ({ kind: 'clearCode', address }),",
          ),
        ],
        by: 'types',
        failure: ['test/devnet/chain/steps.test.ts(', 'clearCode'],
      },
      {
        edits: [testOf('test/devnet/rpc/methods/clearCode.test.ts', 'hardhat_clearCode')],
        by: 'tests',
        failure: ['test/devnet/rpc/methods: a test that calls hardhat_clearCode'],
      },
    ],
  },
  {
    title: 'A tracer',
    begin: [
      {
        file: 'devnet/tracing/createTracer.ts',
        old: "'4byteTracer' | 'noopTracer' }",
        text: "'4byteTracer' | 'noopTracer' | 'demoTracer' }",
      },
    ],
    steps: [
      {
        edits: [
          behind(
            'devnet/tracing/createTracer.ts',
            'switch (choice.name) {',
            `
    case 'demoTracer':
      return { isLight: true, result: () => stringifyJson({}) }`,
          ),
        ],
        by: 'types',
        failure: ['devnet/tracing/createTracer.ts(', 'demoTracer'],
      },
      {
        edits: [
          behind(
            'devnet/json/schemas/tracerChoice.ts',
            "['noopTracer', mapped(ANY, () => ({ name: 'noopTracer' }))],",
            "\n  ['demoTracer', mapped(ANY, () => ({ name: 'demoTracer' }))],",
          ),
        ],
        by: 'tests',
        failure: ["devnet/json/schemas/tracerChoice.ts: ['demoTracer', mapped("],
      },
      {
        edits: [testOf('test/devnet/tracing/demoTracer.test.ts', 'demoTracer')],
        by: 'tests',
        failure: ['test/devnet/tracing: a test of demoTracer'],
      },
      {
        edits: [
          {
            file: 'devnet/README.md',
            old: '`muxTracer` and `noopTracer`',
            text: '`muxTracer`, `demoTracer` and `noopTracer`',
          },
        ],
        by: 'tests',
        failure: ['devnet/README.md: `demoTracer` in the row of the tracers'],
      },
    ],
  },
  {
    title: 'A subscription',
    begin: [behind('devnet/options/profile.ts', "  | 'shreds'", "\n  | 'demoHeads'")],
    steps: [
      {
        edits: [
          behind(
            'devnet/stream/kinds.ts',
            'const kinds: Readonly<Record<KindName, SubscriptionKind>> = {',
            '\n  demoHeads: headersKind(asItIs),',
          ),
        ],
        by: 'types',
        failure: ['devnet/stream/kinds.ts(', 'demoHeads'],
      },
      {
        edits: [
          behind(
            'plugin/conformance/subscription-checks.ts',
            'const KINDS: Readonly<Record<KindName, IsAbout>> = {',
            '\n  demoHeads: () => true,',
          ),
        ],
        by: 'types',
        failure: ['plugin/conformance/subscription-checks.ts(', 'demoHeads'],
      },
      {
        edits: [
          behind(
            'devnet/options/profileTable.ts',
            "kinds: [[...BASE_KINDS, 'transactionReceipts'",
            ", 'demoHeads'",
          ),
        ],
        by: 'tests',
        failure: ["devnet/options/profileTable.ts: 'demoHeads' in the cell `kinds`"],
      },
      {
        edits: [testOf('test/devnet/stream/demoHeads.test.ts', 'demoHeads')],
        by: 'tests',
        failure: ['test/devnet/stream: a test of demoHeads'],
      },
      {
        edits: [
          behind(
            'devnet/stream/README.md',
            '| `newHeads` | | sealed block | header |',
            '\n| `demoHeads` | | sealed block | header |',
          ),
        ],
        by: 'tests',
        failure: ['devnet/stream/README.md: | `demoHeads` | <second parameter>'],
      },
    ],
  },
  {
    title: 'A fault',
    begin: [
      behind('devnet/faults/types.ts', '  | SkipTickFault\n', '  | MuteTickFault\n'),
      behind(
        'devnet/faults/types.ts',
        '/** One rule: a fault, and when it fires. Plain JSON. */\n',
        `interface MuteTickFault extends LimitsAtTick {
  readonly kind: 'muteTick'
}

`,
      ),
    ],
    steps: [
      {
        edits: [
          behind(
            'devnet/json/schemas/faultScript.ts',
            '  skipTick: OF_TICK,',
            '\n  muteTick: OF_TICK,',
          ),
        ],
        by: 'types',
        failure: ['devnet/json/schemas/faultScript.ts(', 'muteTick'],
      },
      {
        edits: [
          behind(
            'devnet/faults/faultPlaces.ts',
            "  skipTick: 'blocks',",
            "\n  muteTick: 'blocks',",
          ),
        ],
        by: 'types',
        failure: ['devnet/faults/faultPlaces.ts(', 'muteTick'],
      },
      {
        edits: [
          behind('devnet/explore/inWords.ts', "      case 'skipTick':", "\n      case 'muteTick':"),
        ],
        by: 'types',
        failure: ['devnet/explore/inWords.ts(', 'MuteTickFault'],
      },
      {
        edits: [
          behind('test/devnet/faults/matchers.test.ts', '  skipTick: {},', '\n  muteTick: {},'),
          behind(
            'test/devnet/faults/matchers.test.ts',
            "const TICKS = ['skipTick'",
            ", 'muteTick'",
          ),
        ],
        by: 'types',
        failure: ['test/devnet/faults/matchers.test.ts(', 'muteTick'],
      },
      {
        edits: [
          {
            file: 'devnet/faults/faults.ts',
            old: "Rule<RuleOf<'skipTick' | 'delayTick'",
            text: "Rule<RuleOf<'skipTick' | 'muteTick' | 'delayTick'",
          },
          behind(
            'devnet/faults/faults.ts',
            "return this.#of('skipTick').some(tryRule)",
            " || this.#of('muteTick').some(tryRule)",
          ),
        ],
        by: 'tests',
        failure: ['devnet/faults/faults.ts: muteTick does not fire'],
      },
      {
        edits: [
          behind(
            'devnet/faults/README.md',
            '| `skipTick` | A tick executes nothing. | |',
            '\n| `muteTick` | A tick executes nothing. | |',
          ),
        ],
        by: 'tests',
        failure: ['devnet/faults/README.md: | `muteTick` | <what happens> |'],
      },
    ],
  },
]
