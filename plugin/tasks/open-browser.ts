import { spawn } from 'node:child_process'

/** The program that opens a URL in the user's browser, with its first arguments. */
const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens a page in the user's browser, which goes on without this process.
 *
 * @param onFailure - called with a sentence if there is no such program. Default: prints to stderr
 * @param program - with its first arguments. Default: that of the operating system
 */
export function openBrowser(
  url: string,
  onFailure: (sentence: string) => void = console.error,
  [program, ...args]: readonly [string, ...string[]] = PROGRAMS[process.platform] ?? ['xdg-open'],
): void {
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => {
    onFailure(
      `--open: ${program} cannot be started; open ${new URL(url).origin}/dashboard/ yourself.`,
    )
  })
  child.unref()
}
