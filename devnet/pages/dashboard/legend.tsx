import { Mark } from './parts.tsx'
import { status } from './store.ts'

/** Meanings of the marks of the states, in the order of a transaction's life. */
export function StripLegend() {
  const how = status.value?.instant === true ? 'at once' : 'by a tick'
  return (
    <ul class="legend" aria-label="What the marks mean">
      <li>
        <Mark state="queued" /> <b>Queued</b> waits for a tick
      </li>
      <li>
        <Mark state="preconfirmed" /> <b>Pre-confirmed</b>{' '}
        {`executed ${how}: final, but not sealed yet`}
      </li>
      <li>
        <Mark state="sealed" /> <b>Sealed</b> in a block of the chain
      </li>
      <li>
        <Mark state="sealed" reverted={true} /> <b>Reverted</b> executed, but failed
      </li>
    </ul>
  )
}
