import { existsSync } from 'node:fs'
import { parseOptions } from '../../devnet/options/options.ts'
import { nearestName } from '../../devnet/options/optionText.ts'
import { OptionError } from '../../devnet/primitives/errors.ts'
import { type ControlCommand, controlCommands } from '../control-commands.ts'
import { reported } from '../control-task.ts'
import {
  type CommandLine,
  controlDefinitions,
  nodeDefinitions,
  readCommandLine,
} from './command-line.ts'
import { commandHelp, help } from './help.ts'
import { drive } from './run-control-task.ts'

/** How users start the binary where the package is installed. */
const PROGRAM = 'npx pending-node'

/**
 * Runs the `pending-node` binary: the node until a signal ends it, or one command to a running node. It says and
 * answers what the tasks of `npx hardhat pending-node` do, without Hardhat.
 *
 * @param argv - arguments behind the name of the program
 * @returns the exit code: 0; 1 for a mistake, which is one sentence on stderr; 128 + its number after a signal
 */
export async function main(argv: readonly string[]): Promise<number> {
  const result = await reported(() => run(argv))
  return result.success ? result.value : 1
}

function run(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv
  if (first === undefined || first.startsWith('-')) return node(argv)
  if (isCommand(first)) return command(first, rest)
  const nearest = nearestName(first, Object.keys(controlCommands))
  const hint = nearest === undefined ? `"${PROGRAM} --help" lists all.` : `did you mean ${nearest}?`
  throw new OptionError(`${JSON.stringify(first)} is not a command; ${hint}`)
}

async function node(argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, nodeDefinitions, { program: PROGRAM })
  if (line.help) return print(help(PROGRAM))
  if (line.version) return await printVersion()
  checkPosition(line)
  const options = parseOptions(line.values)
  // Only here, so that a wrong option is answered before the EVM is loaded.
  const [{ createDevnet }, { runNode }] = await Promise.all([
    import('../../devnet/index.ts'),
    import('../run-node.ts'),
  ])
  return await runNode(
    createDevnet(options),
    process,
    existsSync('/.dockerenv'),
    // Where Hardhat puts them unless its configuration says otherwise; elsewhere there is no such folder.
    'artifacts',
    PROGRAM,
  )
}

async function command(name: ControlCommand, argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, controlDefinitions(name), { program: PROGRAM, command: name })
  if (line.help) return print(commandHelp(PROGRAM, name))
  if (line.version) return await printVersion()
  checkPosition(line)
  return await drive(name, line.values, PROGRAM)
}

/** All words that are no option stand in front. */
function checkPosition({ words: [word] }: CommandLine): void {
  if (word === undefined) return
  const hint = isCommand(word) ? `a command comes first: ${PROGRAM} ${word}` : 'remove it'
  throw new OptionError(`${JSON.stringify(word)} is one word too many; ${hint}.`)
}

function isCommand(word: string): word is ControlCommand {
  return Object.hasOwn(controlCommands, word)
}

async function printVersion(): Promise<number> {
  const { packageVersion } = await import('../../devnet/rpc/nodeInfo.ts')
  return print(packageVersion)
}

function print(text: string): number {
  console.log(text)
  return 0
}
