import type { Devnet, Options } from '../../devnet/index.ts'
import { DEFAULT_URL } from '../tasks/control-commands.ts'
import { hasPublicKeys } from './json-log.ts'
import { grouped, type Paint } from './lines.ts'

/** The line that says that the node is ready, in the words of `hardhat node`. */
export function readyLine(url: string, paint: Paint): string {
  return paint('green', `Started HTTP and WebSocket JSON-RPC server at ${url}/`)
}

/**
 * The state of both clocks, the profile unless it is `plain`, the commands of `program` that
 * control the clocks, and the options for programs that know nothing of pre-confirmation; of a node
 * that follows another one, which.
 */
export function clocksLines(
  options: Options,
  url: string,
  program = 'npx hardhat pending-node',
): string[] {
  const { tickInterval, sealInterval, instant, frozen, frozenTicks, follow, profile } = options
  if (follow !== undefined) {
    return [`Follows ${follow}: transactions and commands belong to that node.`]
  }
  const ticks = tickInterval === 0 ? 'on arrival' : `every ${grouped(tickInterval)} ms`
  const seals = instant ? 'each transaction at once' : `every ${grouped(sealInterval)} ms`
  const state = frozenTicks
    ? `Ticks (${ticks}) and sealing (${seals}) are frozen.`
    : frozen
      ? `Ticks ${ticks}; sealing (${seals}) is frozen.`
      : instant
        ? 'Instant mode: each transaction is sealed at once.'
        : `Ticks ${ticks}, seals ${seals}.`
  const option = url === DEFAULT_URL ? '' : ` --url ${url}`
  const shown = profile === 'plain' ? [] : [`Answers as in profile ${profile}.`]
  const lags = shown.length === 0 && options.latest === 'sealed' && options.receipts !== 'sealed'
  const advice = 'For programs that read `latest`, as cast does: --receipts sealed or --instant'
  const commands = `${program} freeze|resume|advance|seal|status${option}`
  return [state, ...shown, `To control them: ${commands}`, ...(lags && !instant ? [advice] : [])]
}

/** The address of the flashblock stream, if it has a port of its own. */
export function streamLines({ flashblocksUrl, options }: Devnet): string[] {
  return options.flashblocksPort === undefined ? [] : [`Flashblock stream at ${flashblocksUrl}`]
}

/**
 * The addresses of the mock wallet, of its approval page and of the dashboard, with their tokens;
 * nothing of what there is not. The dashboard is the last line, and stands out.
 */
export function pageLines(devnet: Devnet, paint: Paint): string[] {
  const { wallet, noDashboard } = devnet.options
  // Without a wallet, `devnet.wallet` throws, and so does `devnet.dashboard`.
  return [
    ...(wallet === false
      ? []
      : [`Mock wallet at ${devnet.wallet.url}`, `Approval page at ${devnet.wallet.pageUrl}`]),
    ...(noDashboard ? [] : [paint('bold', `Dashboard at ${devnet.dashboard.pageUrl}`)]),
  ]
}

/** Accounts whose keys a terminal shows, so that 50 rows hold all that is printed. */
const MAX_KEYS = 10

/**
 * The accounts in the form of `hardhat node`, on a terminal in fewer lines. Private keys, with a
 * warning, only if well known.
 */
export function accountsLines(
  { accounts, options }: Devnet,
  paint: Paint,
  isTerminal = false,
): string[] {
  if (accounts.length === 0) return []
  const keys = hasPublicKeys(options)
  const lost =
    'WARNING: Funds sent on live network to accounts with publicly known private keys WILL BE LOST.'
  const warning = keys ? [paint('bold', lost), ''] : []
  const accountLabel = (index: number) => `Account #${index}:`
  const keyLabel = 'Private Key:'
  const width = Math.max(accountLabel(accounts.length - 1).length, keys ? keyLabel.length : 0)
  // On a chain that starts from a file, the file sets the balances.
  const { genesis, loadState, state } = options
  const isFresh = [genesis, loadState, state].every((file) => file === undefined)
  const balance = isFresh ? ` (${options.balance} ETH)` : ''
  const isShort = isTerminal && keys && !options.verbose
  const rest = isShort ? Math.max(0, accounts.length - MAX_KEYS) : 0
  const list = accounts.flatMap(({ address, privateKey }, index) => [
    `${accountLabel(index).padEnd(width)} ${address}${balance}`,
    ...(keys && index < accounts.length - rest ? [`${keyLabel.padEnd(width)} ${privateKey}`] : []),
    ...(isTerminal ? [] : ['']),
  ])
  if (isTerminal) {
    const more =
      rest > 0 ? [paint('dim', `--verbose shows the keys of the other ${rest} too.`)] : []
    return [...list, ...more, ...warning, ...(keys ? [] : [''])]
  }
  return ['Accounts', '========', ...(keys ? [''] : []), ...warning, ...list, ...warning]
}

/** Advice about the address the node listens on; none for loopback outside of a container. */
export function bindingLines(hostname: string, inContainer: boolean, paint: Paint): string[] {
  const loopback = /^(?:(?:.*\.)?localhost|127\..*|::1)$/i.test(hostname)
  if (!loopback) {
    const warning = `WARNING: Everyone who can reach ${hostname} can use the unlocked accounts, and the tokens of the pages below cross the network unencrypted.`
    return [paint('yellow', warning), '']
  }
  if (!inContainer) return []
  const hint =
    'This is a container: to reach the node from outside, start it with --hostname 0.0.0.0 and publish its port to the loopback address only (docker run --publish 127.0.0.1:8545:8545).'
  return [paint('dim', hint), '']
}
