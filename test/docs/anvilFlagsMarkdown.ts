import { optionFlag } from '../../devnet/options/optionText.ts'
import { ignoredFlags, refusedFlags } from '../../plugin/bin/anvil-flags.ts'

/** anvil's flags that are options of this node, and in what they differ. */
export const sameFlags: Readonly<Record<string, string>> = {
  '--accounts': '20 by default, anvil has 10',
  '--allow-origin': 'pages of this machine by default, on anvil all',
  '--balance': '',
  '--block-base-fee-per-gas --base-fee': '',
  '--block-time': 'what is sent is pre-confirmed before its block',
  '--chain-id': '',
  '--code-size-limit': '',
  '--disable-code-size-limit': '',
  '--dump-state': 'a file, not a folder',
  '--fork-block-number': '',
  '--fork-header': '',
  '--fork-transaction-hash': 'it and those before it are pre-confirmed, on anvil in a block',
  '--fork-url': 'one, without `@block` at its end',
  '--gas-limit': '',
  '--hardfork': 'London or later',
  '--help -h': '',
  '--host': '',
  '--json': '',
  '--load-state': '',
  '--mnemonic': '',
  '--order': '`fifo` by default, on anvil `fees`',
  '--port': '',
  '--quiet': '',
  '--state': '',
  '--state-interval': 'in ms, on anvil in s',
  '--timestamp': '',
  '--version': '',
  '-v': "`--version`; anvil's verbosity is `--verbose`",
}

/** The flags that `--anvil` accepts, as they are written. */
export const acceptedFlags = Object.keys(ignoredFlags).map(optionFlag)

/** The table of anvil's flags, from the tables by which the command line is read. */
export function anvilFlagsMarkdown(): string {
  const quoted = (flags: readonly string[]) => flags.map((flag) => `\`${flag}\``).join(', ')
  const row = (flags: readonly string[], here: string) => `| ${quoted(flags)} | ${here} |`
  const same = Object.entries(sameFlags)
  const equal = same.filter(([, note]) => note === '').flatMap(([flags]) => flags.split(' '))
  return [
    '| Flag of anvil | Here |',
    '|---|---|',
    row(equal, 'the same'),
    ...same
      .filter(([, note]) => note !== '')
      .map(([flags, note]) =>
        row(flags.split(' '), flags.startsWith('--') ? `the same: ${note}` : note),
      ),
    row(acceptedFlags, 'nothing; accepted with `--anvil`'),
    ...Object.entries(refusedFlags).map(([flags, use]) =>
      row(
        flags.split(' '),
        `refused: use ${use.replace(/--[a-z]+(?:-[a-z]+)*|[A-Za-z]+_\w+/g, '`$&`')}`,
      ),
    ),
    '',
  ].join('\n')
}
