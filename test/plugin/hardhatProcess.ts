import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cli = fileURLToPath(new URL('../../node_modules/hardhat/dist/src/cli.js', import.meta.url))

/** How a process ended, and all that it printed. */
export interface Ending {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface HardhatProcess extends AsyncDisposable {
  readonly child: ChildProcess
  /** The first line that it prints. */
  readonly firstLine: Promise<string>
  readonly ended: Promise<Ending>
}

/**
 * Starts Hardhat as `npx hardhat` does.
 *
 * @param cwd - folder of the project; default: the root of this package
 * @param env - more of the environment; default: nothing
 */
export function startHardhat(
  args: readonly string[],
  { cwd = root, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): HardhatProcess {
  return watched(
    spawn(process.execPath, [cli, ...args], { cwd, env: { ...plainEnvironment(), ...env } }),
  )
}

/** Starts `npx hardhat` as a group of processes, which a terminal signals as one. */
export function startNpxHardhat(args: readonly string[]): HardhatProcess {
  const npx = spawn('npx', ['hardhat', ...args], {
    cwd: root,
    env: plainEnvironment(),
    detached: true,
  })
  return watched(npx, () => process.kill(-Number(npx.pid), 'SIGKILL'))
}

/** Runs Hardhat to its end. */
export async function runHardhat(args: readonly string[]): Promise<Ending> {
  await using hardhat = startHardhat(args)
  return await hardhat.ended
}

/** Without colours, and so that Hardhat does not take a test of vitest for one of its own. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', NODE_ENV: 'production' }
}

/**
 * Gathers what a process prints, for processes of other programs too.
 *
 * @param kill - ends the process, or the group of processes, that a test leaves behind
 */
export function watched(
  child: ChildProcess,
  kill: () => void = () => child.kill('SIGKILL'),
): HardhatProcess {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('The process has no output.')
  let printed = ''
  let complained = ''
  const lines = createInterface({ input: stdout })
  lines.on('line', (line) => {
    printed += `${line}\n`
  })
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complained += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({
    code,
    stdout: printed,
    stderr: complained,
  }))
  const firstLine = Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    ended.then(({ stderr }) => {
      throw new Error(`The process ended before its first line: ${stderr}`)
    }),
  ])
  // A run that prints no line is an error only for a test that awaits the first one.
  firstLine.catch(() => undefined)
  return {
    child,
    firstLine,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) kill()
      await ended
    },
  }
}
