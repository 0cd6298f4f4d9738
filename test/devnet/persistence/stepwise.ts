import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Save } from '../../../devnet/persistence/savedFile.ts'

/** What the process of a {@link StepwiseSaver} says; `step` waits for an answer. */
export type Report =
  | { readonly opened: true }
  | { readonly step: string; readonly paths: readonly string[] }
  | { readonly saved: Save }
  | { readonly failed: string }

/** `answer`: empty to go on, or the code of the error with which the step fails. */
export type Order = { readonly save: string } | { readonly answer: string }

const PROGRAM = fileURLToPath(new URL('stepwise.child.ts', import.meta.url))

/** A process that saves to a file, and takes each step of it only when the test lets it. */
export class StepwiseSaver {
  readonly #child: ChildProcess
  readonly #reports: Report[] = []
  #woken = Promise.withResolvers<void>()

  private constructor(...args: string[]) {
    this.#child = fork(PROGRAM, args, { execArgv: [] })
    // The cast is safe: the program sends nothing else.
    this.#child.on('message', (report) => {
      this.#reports.push(report as Report)
      this.#woken.resolve()
    })
  }

  /**
   * Starts one that knows the present version of the file.
   *
   * @param start - if given, it takes the steps of its start, too, only when the test lets it
   */
  static async open(path: string, ...start: 'stepwise'[]) {
    const saver = new StepwiseSaver(path, ...start)
    onTestFinished(() => saver.kill())
    return { saver, report: await saver.next() }
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The next thing that it says. */
  async next(): Promise<Report> {
    for (;;) {
      const report = this.#reports.shift()
      if (report !== undefined) return report
      this.#woken = Promise.withResolvers()
      await this.#woken.promise
    }
  }

  save(text: string): Promise<Report> {
    this.#child.send({ save: text } satisfies Order)
    return this.next()
  }

  /** Lets it take the step that it waits for, which fails if there is the code of an error. */
  answer(code = ''): Promise<Report> {
    this.#child.send({ answer: code } satisfies Order)
    return this.next()
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}
