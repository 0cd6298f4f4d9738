import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TransactionState } from '../../dashboard/transactionMatcher.ts'
import { short, visible } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import {
  compare,
  count,
  etherText,
  exactAmount,
  exactEther,
  exactGwei,
  gwei,
  listedEther,
  percent,
} from '../kit/shownValue.ts'
import { Icon } from './icons.tsx'
import { links } from './router.ts'
import { nameOf } from './store.ts'

export const STATE_WORDS: Readonly<Record<TransactionState, string>> = {
  queued: 'Queued',
  preconfirmed: 'Pre-confirmed',
  sealed: 'Sealed',
  dropped: 'Dropped',
}

/** The outline of a state, the same everywhere; with a cross if the transaction reverted. */
export function Mark({ state, reverted = false }: MarkProps) {
  return (
    <svg
      class={reverted ? `mark ${state} reverted` : `mark ${state}`}
      viewBox="0 0 14 14"
      aria-hidden="true"
    >
      {/* The dashes of the style sheet are parts of this length. */}
      <rect x="1.5" y="1.5" width="11" height="11" rx="2.5" pathLength="40" />
      {reverted && <path class="inside" d="M4.6 4.6l4.8 4.8M9.4 4.6 4.6 9.4" />}
      {state === 'dropped' && <path class="inside" d="M0 7h14" />}
      {state === 'sealed' && !reverted && <path class="inside" d="M4.4 7.2l1.9 1.9 3.4-3.9" />}
    </svg>
  )
}

interface MarkProps {
  readonly state: TransactionState
  readonly reverted?: boolean
}

function stateWords({ state, reverted = false }: MarkProps): string {
  return reverted ? `${STATE_WORDS[state]}, reverted` : STATE_WORDS[state]
}

/** The mark of a state, and its name. */
export function State(props: MarkProps) {
  return (
    <span class="state">
      <Mark {...props} />
      {stateWords(props)}
    </span>
  )
}

/** The outline alone, for lists; its words are read aloud, and shown on hover. */
export function StateGlyph(props: MarkProps) {
  return (
    <span class="state" title={stateWords(props)}>
      <Mark {...props} />
      <span class="unseen">{stateWords(props)}</span>
    </span>
  )
}

/** The address under the pointer or the focus: all places where it stands light up. */
const pointed = signal<string | undefined>(undefined)

interface AddressProps {
  readonly address: string
  /** Of the contract or account. Default: the one that the node told last */
  readonly name?: string | undefined
  /** True if all digits are shown. */
  readonly whole?: boolean
}

export function Address({ address, name = nameOf(address), whole = false }: AddressProps) {
  const point = () => {
    pointed.value = address
  }
  const leave = () => {
    pointed.value = undefined
  }
  const shown = whole ? address : short(address)
  return (
    <span class={whole ? 'address whole' : 'address'}>
      <Square address={address} />
      <a
        href={links.address(address)}
        class={pointed.value === address ? 'same' : ''}
        title={name === undefined ? address : `${visible(name)} ${address}`}
        onPointerEnter={point}
        onPointerLeave={leave}
        onFocus={point}
        onBlur={leave}
      >
        {name !== undefined && (
          <span class="name">
            <Untrusted text={name} />{' '}
          </span>
        )}
        {(name === undefined || whole) && <code>{shown}</code>}
      </a>
      <Copy text={address} what="address" />
    </span>
  )
}

/** Two colours made from an address, which help to tell addresses apart. */
function Square({ address }: { readonly address: string }) {
  // The first and the last byte.
  const [first, second] = [address.slice(2, 4), address.slice(-2)].map((byte) =>
    Math.round((Number.parseInt(byte, 16) / 256) * 360),
  )
  const colors = `hsl(${first} 55% 52%) 50%, hsl(${second} 60% 62%) 50%`
  return <span class="square" style={{ background: `linear-gradient(135deg, ${colors})` }} />
}

export function TxHash({
  hash,
  whole = false,
}: {
  readonly hash: string
  readonly whole?: boolean
}) {
  return (
    <span class="address">
      <a href={links.tx(hash)} title={hash}>
        <code>{whole ? hash : short(hash)}</code>
      </a>
      <Copy text={hash} what="hash" />
    </span>
  )
}

/** A button that copies a text; it shows when the text is pointed at. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_200)
  }
  return (
    <button
      type="button"
      class={isDone ? 'copy done' : 'copy'}
      aria-label={isDone ? 'Copied' : `Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={isDone ? 'done' : 'copy'} />
    </button>
  )
}

/** An amount of wei; its title has all digits. */
export function Ether({ wei, isListed = false }: EtherProps) {
  const text = isListed ? listedEther(wei) : etherText(wei)
  return <span title={`${exactEther(wei)} ETH`}>{text}</span>
}

interface EtherProps {
  readonly wei: bigint
  /** True in lists, which show no digits of what is very little. */
  readonly isListed?: boolean
}

interface BeforeAfterProps {
  readonly before: bigint
  readonly after: bigint
  /** The one to show, beside which the other stands. */
  readonly shown: 'before' | 'after'
  readonly decimals?: number
  /** Untrusted text. */
  readonly symbol?: string
}

/** One of two amounts, with the digits that tell them apart; those that are equal are grey. */
export function BeforeAfter(props: BeforeAfterProps) {
  const { before, after, shown, decimals = 18, symbol = 'ETH' } = props
  const digits = compare(before, after, decimals)
  const title = `${exactAmount(shown === 'before' ? before : after, decimals)} ${visible(symbol)}`
  return (
    <span class="compared" title={title}>
      {before !== after && <span class="note">{digits.same}</span>}
      {before === after ? digits.same : digits[shown]} <Untrusted text={symbol} />
    </span>
  )
}

/** A price in gwei; its title has all digits. */
export function Gwei({ wei }: { readonly wei: bigint }) {
  return <span title={`${exactGwei(wei)} gwei`}>{gwei(wei)}</span>
}

export function Panel({ title, more, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {more}
      </header>
      {children}
    </section>
  )
}

interface PanelProps {
  readonly title: string
  readonly more?: ComponentChildren
  readonly children: ComponentChildren
}

interface EmptyProps {
  readonly title?: string
  readonly children?: ComponentChildren
}

/** Stands in place of rows if there are none. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  )
}

/** Stands in place of something that is not there. */
export function Missing(props: EmptyProps) {
  return (
    <div class="panel">
      <Empty {...props} />
    </div>
  )
}

interface SwitchProps {
  readonly isOn: boolean
  readonly onSwitch: (isOn: boolean) => void
  readonly words: string
}

export function Switch({ isOn, onSwitch, words }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => onSwitch(checked)}
      />
      <span>{words}</span>
    </label>
  )
}

interface FilterInputProps {
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly class?: string
}

/** A text by which a list is filtered. */
export function FilterInput(props: FilterInputProps) {
  const { label, placeholder, text, onText } = props
  return (
    <input
      class={props.class ?? 'field'}
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget: { value } }) => onText(value)}
    />
  )
}

/** A share as a bar; the number beside it says it in words. */
export function Gauge({ used, limit }: { readonly used: number; readonly limit: number }) {
  return (
    <span class="gauge" title={`${percent(used, limit)} of ${count(limit)}`}>
      <span style={{ width: `${Math.min(100, (100 * used) / Math.max(1, limit))}%` }} />
    </span>
  )
}
