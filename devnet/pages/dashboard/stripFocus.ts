import { signal } from '@preact/signals'

/** Key of the cell or block that Tab leads to; if it is gone, Tab leads to the newest block. */
export const tabStop = signal<string | undefined>(undefined)

/** Arrow keys: cells and blocks, lanes; Home and End: oldest and newest. */
export function moveFocus(event: KeyboardEvent): void {
  const own = document.activeElement?.closest<SVGAElement>('[data-lane]')
  const picture = own?.closest('.picture')
  if (own === null || own === undefined || picture === null || picture === undefined) return
  const lane = own.getAttribute('data-lane')
  const inLane = (name: string | null) => [
    ...picture.querySelectorAll<SVGAElement>(`[data-lane="${name}"]`),
  ]
  const peers = inLane(lane)
  const index = peers.indexOf(own)
  const move: Readonly<Record<string, () => SVGAElement | undefined>> = {
    ArrowLeft: () => peers[index - 1],
    ArrowRight: () => peers[index + 1],
    Home: () => peers[0],
    End: () => peers.at(-1),
    ArrowUp: () => (lane === 'blocks' ? nearest(inLane('ticks'), own) : undefined),
    ArrowDown: () => (lane === 'ticks' ? nearest(inLane('blocks'), own) : undefined),
  }
  const target = move[event.key]?.()
  if (target === undefined) return
  event.preventDefault()
  event.stopPropagation()
  tabStop.value = target.dataset.key
  target.focus()
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

function nearest(candidates: readonly SVGAElement[], from: Element): SVGAElement | undefined {
  const middle = (one: Element) => {
    const { left, width } = one.getBoundingClientRect()
    return left + width / 2
  }
  const wanted = middle(from)
  return candidates
    .map((one) => ({ one, away: Math.abs(middle(one) - wanted) }))
    .sort((first, second) => first.away - second.away)[0]?.one
}
