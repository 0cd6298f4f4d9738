import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'

/** ms that a process may take to stop before it is killed. */
const STOP_PATIENCE = 3_000

/** Every process that was started and has not ended yet, with how to end it. */
const running = new Map<ChildProcess, (signal: NodeJS.Signals) => void>()

/**
 * Remembers a process, so that it does not outlive this one.
 *
 * @param group - whether it leads a group of processes, all of which must end
 */
export function own(child: ChildProcess, group: boolean): void {
  const { pid } = child
  // It could not be started.
  if (pid === undefined) return
  running.set(child, (signal) => {
    if (group) process.kill(-pid, signal)
    else child.kill(signal)
  })
  child.once('exit', () => running.delete(child))
}

/** Sends a signal and waits for the end; kills what does not end by itself. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const kill = running.get(child)
  if (kill === undefined) return
  const exited = once(child, 'exit')
  const patience = setTimeout(() => running.get(child)?.('SIGKILL'), STOP_PATIENCE)
  kill(signal)
  await exited
  clearTimeout(patience)
}

/** Kills every process that still runs; for the end of this one. */
export function killAll(): void {
  for (const kill of running.values()) kill('SIGKILL')
}

/** Resident memory of a process, in bytes. */
export function residentMemory({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return Number(kilobytes) * 1024
}
