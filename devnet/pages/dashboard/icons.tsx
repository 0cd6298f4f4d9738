import type { ViewName } from './router.ts'

/** Paths in a box of 24 by 24, drawn with a stroke. */
const PATHS = {
  now: 'M4 12h3l3-7 4 14 3-7h3',
  txs: 'M4 8h14m-4-4 4 4-4 4M20 16H6m4-4-4 4 4 4',
  blocks: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  mempool: 'M5 6h14M5 12h9M5 18h5M18 14v6m-3-3h6',
  accounts: 'M16 20v-1a4 4 0 0 0-8 0v1M12 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  contracts: 'M7 3h7l5 5v13H7zM14 3v5h5M10 13h6M10 17h4',
  gas: 'M4 20h16M7 16v-5m5 5V5m5 11V9',
  log: 'M4 6l4 4-4 4M11 15h8M4 20h16',
  find: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  done: 'M5 12.5l4.5 4.5L19 7.5',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  light:
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  system: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  panel: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5v5M9 14.5v5',
  keys: 'M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 14.5h8',
  close: 'M6 6l12 12M18 6 6 18',
} as const satisfies Readonly<Record<ViewName, string>> & Readonly<Record<string, string>>

export type IconName = keyof typeof PATHS

/** A picture that only repeats the words beside it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
