import { loadManifest, nearestName, OptionError } from '../../devnet/pluginApi.ts'
import { type Command, commandNames, isCommand } from '../tasks/control-commands.ts'
import { reported } from '../tasks/reported.ts'
import {
  type CommandLine,
  controlDefinitions,
  nodeDefinitions,
  readCommandLine,
} from './command-line.ts'
import { commandHelp, help } from './help.ts'

/** The user's command for the binary of an installed package. */
const PROGRAM = 'npx pending-node'

/**
 * Runs the `pending-node` binary: a node until a signal ends it, or one command to a running node.
 * It does and prints the same as the tasks of `npx hardhat pending-node`, without Hardhat.
 *
 * @param argv - the arguments after the name of the program
 * @returns the exit code: 0 on success; 1 if the user made a mistake, which a sentence on stderr
 * explains, and 2 in `report`; 128 + the signal's number after a signal
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  const result = await reported(() => run(argv))
  // There, 1 says that the engines differ.
  return result.success ? result.value : argv[0] === 'report' ? 2 : 1
}

function run(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv
  if (first === undefined || first.startsWith('-')) return node(argv)
  if (isCommand(first)) return control(first, rest)
  const nearest = nearestName(first, commandNames)
  const hint = nearest === undefined ? `"${PROGRAM} --help" lists all.` : `did you mean ${nearest}?`
  throw new OptionError(`${JSON.stringify(first)} is not a command; ${hint}`)
}

async function node(argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, nodeDefinitions, { program: PROGRAM })
  if (await answered(line, () => help(PROGRAM))) return 0
  const { createAndRunNode } = await import('../tasks/run-node.ts')
  // Hardhat's default folder. Outside of a project it is missing; then the log shows no names.
  return await createAndRunNode(line.values, { artifacts: 'artifacts', program: PROGRAM })
}

async function control(command: Command, argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, controlDefinitions(command), { program: PROGRAM, command })
  const [word, ...rest] = line.words
  const words = command === 'report' || command === 'conformance' ? rest : line.words
  if (await answered({ ...line, words }, () => commandHelp(PROGRAM, command))) return 0
  if (command === 'report') {
    const { runReport } = await import('../tasks/report-task.ts')
    return await runReport({ ...line.values, hash: word }, { program: PROGRAM })
  }
  if (command === 'conformance') {
    const { runConformanceTask } = await import('../tasks/conformance-task.ts')
    return (await runConformanceTask({ ...line.values, endpoint: word })).success ? 0 : 1
  }
  const { runControlTask } = await import('../tasks/control-task.ts')
  const { success } = await runControlTask(command, line.values, { program: PROGRAM })
  return success ? 0 : 1
}

/** Prints the help or the version, if asked for. Otherwise only the command may be a word. */
async function answered(
  { help, version, words: [word] }: CommandLine,
  helpText: () => string,
): Promise<boolean> {
  if (help || version) console.log(help ? helpText() : (await loadManifest()).version)
  else if (word !== undefined) {
    const hint = isCommand(word) ? `a command comes first: ${PROGRAM} ${word}` : 'remove it'
    throw new OptionError(`${JSON.stringify(word)} is one word too many; ${hint}.`)
  }
  return help || version
}
