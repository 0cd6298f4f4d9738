import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryEntry, PolicyChange, WalletAccount, WalletState } from '../../wallet/types.ts'
import { type Client, type Link, LostError, openLink, takeFragment } from '../kit/link.ts'
import { oneAtATime } from '../kit/oneAtATime.ts'

export interface Snapshot {
  readonly state: WalletState
  /** Oldest first. */
  readonly history: readonly HistoryEntry[]
  /** As of a moment ago: the balances come last, since an RPC may be slow. */
  readonly accounts: readonly WalletAccount[]
}

/** A command of the control API, and its parameters besides the name of the session. */
interface Command<Params, Answer = null> {
  readonly params: Params
  readonly answer: Answer
}

interface ControlApi {
  readonly control_state: Command<object, WalletState>
  readonly control_history: Command<{ readonly limit: number }, readonly HistoryEntry[]>
  readonly control_accounts: Command<object, readonly WalletAccount[]>
  readonly control_approve: Command<{ readonly id: string; readonly account?: string | undefined }>
  readonly control_reject: Command<{ readonly id: string }>
  readonly control_policy: Command<PolicyChange, unknown>
  readonly control_disconnect: Command<{ readonly origin: string | null }>
  readonly control_switchAccount: Command<{ readonly account: string }>
  readonly control_switchChain: Command<{ readonly chainId: string }>
}

export type Control = Pick<Client<ControlApi>, 'call' | 'close'>

/** Gives a command whose failure is said to the person. */
export type Act = <Name extends keyof ControlApi>(
  command: Name,
  params: ControlApi[Name]['params'],
) => void

/** Maximum number of history entries shown: all of them could make the page slow. */
const MAX_HISTORY = 100
/** ms between two looks at the balances, which change without a change of the wallet. */
const BALANCE_PAUSE = 2_000

/** Connects to the control API and reports each change until `close` is called. */
function openControl(
  { token, session }: ReturnType<typeof takeAddress>,
  onSnapshot: (snapshot: Snapshot) => void,
  onLink: (link: Link) => void,
): Control {
  let snapshot: Snapshot | undefined
  const link: Client<ControlApi> = openLink('/wallet/control', token, {
    onOpen: refresh,
    onLink,
    onPush: () => again(refresh()),
  })
  const call: Control['call'] = (method, params) => link.call(method, { session, ...params })

  function show(fresh: Snapshot): void {
    snapshot = fresh
    onSnapshot(fresh)
  }

  const lookAtWallet = oneAtATime(async () => {
    const [state, history, accounts] = await Promise.all([
      call('control_state', {}),
      call('control_history', { limit: MAX_HISTORY }),
      snapshot?.accounts ?? call('control_accounts', {}),
    ])
    show({ state, history, accounts: snapshot?.accounts ?? accounts })
  })

  /** Asks for the balances, and shows them if one has changed. */
  const lookAtAccounts = oneAtATime(async () => {
    const accounts = await call('control_accounts', {})
    if (snapshot === undefined) return
    if (JSON.stringify(accounts) !== JSON.stringify(snapshot.accounts)) {
      show({ ...snapshot, accounts })
    }
  })

  async function refresh(): Promise<void> {
    await lookAtWallet()
    again(lookAtAccounts())
  }

  /** Connects again after an error: the next connection asks for all anew. */
  function again(look: Promise<void>): void {
    look.catch((error: unknown) => {
      if (!(error instanceof LostError)) link.reconnect()
    })
  }

  const timer = setInterval(() => {
    if (snapshot !== undefined && document.visibilityState === 'visible') again(lookAtAccounts())
  }, BALANCE_PAUSE)

  return {
    call,
    close() {
      clearInterval(timer)
      link.close()
    },
  }
}

/**
 * Place where the tab keeps its fragment, so that it still has the token after a reload, and where
 * the browser keeps the one that the node accepted, so that a link without a token leads here.
 */
const FRAGMENT = 'fragment'

/** Contents of the fragment of the page's URL. The token is empty if there is none. */
function takeAddress() {
  const given = takeFragment(/./)
  if (given !== undefined) sessionStorage.setItem(FRAGMENT, given)
  const kept = sessionStorage.getItem(FRAGMENT) ?? localStorage.getItem(FRAGMENT) ?? ''
  const fields = new URLSearchParams(kept.replace(/^(?!token=)/, 'token='))
  return { token: fields.get('token') ?? '', session: fields.get('session') ?? 'default' }
}

/** The wallet as the node tells of it, to a page with its token. */
export function useWallet() {
  const [address, setAddress] = useState(takeAddress)
  const [link, setLink] = useState<Link>('connecting')
  const [snapshot, setSnapshot] = useState<Snapshot | undefined>(undefined)
  const control = useRef<Control | undefined>(undefined)

  useEffect(() => {
    window.addEventListener('hashchange', () => setAddress(takeAddress()))
  }, [])
  useEffect(() => {
    const onLink = (next: Link) => {
      setLink(next)
      if (next === 'refused') setSnapshot(undefined)
      if (next === 'live') localStorage.setItem(FRAGMENT, address.token)
    }
    onLink(address.token === '' ? 'refused' : 'connecting')
    if (address.token === '') return
    control.current = openControl(address, setSnapshot, onLink)
    return control.current.close
  }, [address])

  const call: Control['call'] = async (command, params) => {
    if (control.current === undefined) throw new LostError('The page is not connected.')
    return control.current.call(command, params)
  }
  return { ...address, link, snapshot, call }
}
