import { spawn } from 'node:child_process'

/** The program that opens a URL in the user's browser, with its first arguments. */
const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens a page in the user's browser, which goes on without this process.
 *
 * @param onFailure - called with a sentence if there is no such program, or it fails, as without a
 * screen. Default: prints to stderr
 * @param program - with its first arguments. Default: that of the operating system
 */
export function openBrowser(
  url: string,
  onFailure: (sentence: string) => void = console.error,
  [program, ...args]: readonly [string, ...string[]] = PROGRAMS[process.platform] ?? ['xdg-open'],
): void {
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  const fail = (what: string) =>
    onFailure(`--open: ${program} ${what}; open ${new URL(url).origin}/dashboard/ yourself.`)
  child.once('error', () => fail('cannot be started'))
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) fail(`could not show the page (exit code ${code})`)
  })
  child.unref()
}
