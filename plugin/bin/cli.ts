import { loadPackageVersion, nearestName, OptionError } from '../../devnet/pluginApi.ts'
import { type ControlCommand, commandNames, isControlCommand } from '../tasks/control-commands.ts'
import { reported } from '../tasks/reported.ts'
import { controlDefinitions, nodeDefinitions, readCommandLine } from './command-line.ts'
import { commandHelp, help } from './help.ts'

/** How users start the binary of an installed package. */
const PROGRAM = 'npx pending-node'

/**
 * Runs the `pending-node` binary: a node until a signal ends it, or one command to a running node.
 * It does and prints the same as the tasks of `npx hardhat pending-node`, without Hardhat.
 *
 * @param argv - the arguments after the name of the program
 * @returns the exit code: 0 on success; 1 if the user made a mistake, which a sentence on stderr
 * explains; 128 + the signal's number after a signal
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  const result = await reported(() => run(argv))
  return result.success ? result.value : 1
}

function run(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv
  if (first === undefined || first.startsWith('-')) return node(argv)
  if (isControlCommand(first)) return control(first, rest)
  const nearest = nearestName(first, commandNames)
  const hint = nearest === undefined ? `"${PROGRAM} --help" lists all.` : `did you mean ${nearest}?`
  throw new OptionError(`${JSON.stringify(first)} is not a command; ${hint}`)
}

async function node(argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, nodeDefinitions, { program: PROGRAM })
  if (line.help) return print(help(PROGRAM))
  if (line.version) return await printVersion()
  refuseWord(line.words)
  const { createAndRunNode } = await import('../tasks/run-node.ts')
  // Hardhat's default folder. Outside of a project it is missing; then the log shows no names.
  return await createAndRunNode(line.values, { artifacts: 'artifacts', program: PROGRAM })
}

async function control(command: ControlCommand, argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, controlDefinitions(command), { program: PROGRAM, command })
  if (line.help) return print(commandHelp(PROGRAM, command))
  if (line.version) return await printVersion()
  refuseWord(line.words)
  const { runControlTask } = await import('../tasks/control-task.ts')
  const { success } = await runControlTask(command, line.values, { program: PROGRAM })
  return success ? 0 : 1
}

/** Refuses a word that is neither an option nor its value: the only such word is the command. */
function refuseWord([word]: readonly string[]): void {
  if (word === undefined) return
  const hint = isControlCommand(word) ? `a command comes first: ${PROGRAM} ${word}` : 'remove it'
  throw new OptionError(`${JSON.stringify(word)} is one word too many; ${hint}.`)
}

async function printVersion(): Promise<number> {
  return print(await loadPackageVersion())
}

function print(text: string): number {
  console.log(text)
  return 0
}
