import { useState } from 'preact/hooks'
import type { Frame, TraceAnswer } from '../../dashboard/apiTypes/callTypes.ts'
import { short } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { Arguments, BytesText, CallName, FailureText } from './decoded.tsx'
import { Address, Ether, Panel } from './parts.tsx'
import { nameOf } from './store.ts'

/** Number of calls that are shown at first, and of those added with each press. */
const FRAMES = 50

/** The calls inside of a transaction, callers before callees. */
export function CallTree({ trace }: { readonly trace: TraceAnswer }) {
  const [shown, setShown] = useState(FRAMES)
  const { frames, omittedFrames } = trace
  return (
    <Panel title="Calls" more={<span class="note">{count(frames.length + omittedFrames)}</span>}>
      <ol class="tree">
        {frames.slice(0, shown).map((frame, index) => (
          <FrameRow key={index} frame={frame} />
        ))}
      </ol>
      {frames.length > shown && (
        <p class="pad">
          <button type="button" class="button small" onClick={() => setShown(shown + 4 * FRAMES)}>
            {`Show ${count(Math.min(4 * FRAMES, frames.length - shown))} more`}
          </button>
        </p>
      )}
      {frames.length <= shown && omittedFrames > 0 && (
        <p class="pad note">{`and ${plural(omittedFrames, 'call')} more`}</p>
      )}
    </Panel>
  )
}

/** Levels that are indented; deeper ones stay at that. */
const MAX_INDENT = 12

function FrameRow({ frame }: { readonly frame: Frame }) {
  const { depth, type, to, value, gasUsed, call, input, output, returns, failure } = frame
  const { decoded } = call
  const hasMore =
    (decoded?.arguments?.length ?? 0) > 0 ||
    (returns?.length ?? 0) > 0 ||
    failure !== null ||
    decoded === null
  const indent = { paddingLeft: `${16 + 18 * Math.min(depth, MAX_INDENT)}px` }
  const head = (
    <>
      <span class="opcode">{type}</span>
      <span class="callee">
        {decoded === null ? (
          to === null ? (
            <span class="note">nothing was created</span>
          ) : (
            <Untrusted text={nameOf(to) ?? short(to)} />
          )
        ) : (
          <CallName call={decoded} />
        )}
        {decoded === null && input.size > 0 && (
          <code class="note"> {input.shown.slice(0, 10)}</code>
        )}
      </span>
      {value !== null && value !== '0' && <Ether wei={BigInt(value)} />}
      {failure !== null && <span class="badge bad">failed</span>}
      <span class="gas note">{`${count(gasUsed)} gas`}</span>
    </>
  )
  if (!hasMore) {
    return (
      <li>
        <div class="frame" style={indent}>
          {head}
        </div>
      </li>
    )
  }
  return (
    <li>
      <details open={depth === 0}>
        <summary class="frame" style={indent}>
          {head}
        </summary>
        <div class="inside" style={indent}>
          {to !== null && (
            <p>
              <span class="note">at</span> <Address address={to} />
            </p>
          )}
          {decoded?.arguments != null && decoded.arguments.length > 0 && (
            <Arguments list={decoded.arguments} />
          )}
          {decoded === null && input.size > 0 && (
            <>
              <p class="note">input</p>
              <BytesText bytes={input} />
            </>
          )}
          {returns !== null && returns.length > 0 && (
            <>
              <p class="note">returns</p>
              <Arguments list={returns} />
            </>
          )}
          {returns === null &&
            failure === null &&
            output.size > 0 &&
            decoded?.function !== null && (
              <>
                <p class="note">output</p>
                <BytesText bytes={output} />
              </>
            )}
          {failure !== null && <FailureText failure={failure} />}
        </div>
      </details>
    </li>
  )
}
