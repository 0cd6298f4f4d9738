import type { SourceLine } from '../../dashboard/solidityStack.ts'
import { Untrusted } from '../kit/elements.tsx'
import { FailureText } from './decoded.tsx'
import { Copy, Panel } from './parts.tsx'
import type { Answer } from './store.ts'

interface WhyItFailedProps {
  /** Default: not there yet */
  readonly trace: Answer<'trace'> | undefined
  /** The node's sentence if there will be none. */
  readonly error: string | undefined
  /** True if the contract is known, so that room is kept for its lines. */
  readonly isKnown: boolean
}

/** The reason of a failure, and the lines of Solidity that led to it. */
export function WhyItFailed({ trace, error, isKnown }: WhyItFailedProps) {
  const stack = trace?.stack ?? []
  const isComing = trace === undefined && error === undefined && isKnown
  return (
    <Panel title="Why it failed">
      <div class={isComing || stack.length > 0 ? 'pad why' : 'pad'}>
        {trace?.failure != null ? (
          <FailureText failure={trace.failure} />
        ) : (
          <Untrusted within="p" class="note" text={error ?? 'Executing it again…'} />
        )}
        {stack.map((place, index) => (
          <Place key={index} place={place} isOpen={index === 0} />
        ))}
        {trace !== undefined && stack.length === 0 && (
          <p class="note">
            The line is known of contracts that the project has compiled: start the node in its
            folder.
          </p>
        )}
      </div>
    </Panel>
  )
}

/** Editors open files of the machine that they run on: from afar there is no link. */
const IS_HERE = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname)

function Place({ place, isOpen }: { readonly place: SourceLine; readonly isOpen: boolean }) {
  const { contract, function: name, file, line, column, lines, editor } = place
  const position = `${file}:${line}:${column}`
  return (
    <details class="place" open={isOpen}>
      <summary>
        <strong>
          <Untrusted text={[contract, name].filter((each) => each !== null).join('.')} />
        </strong>{' '}
        <Untrusted within="code" class="note" text={`${file}:${line}`} />{' '}
        <Copy text={position} what="position" />
        {IS_HERE && editor?.startsWith('vscode://file/') && <a href={editor}>Open in VS Code</a>}
      </summary>
      <pre>
        {lines.map(({ number, text }) => (
          <div key={number} class={number === line ? 'hit' : ''}>
            <span>{number}</span>
            <Untrusted text={text.replaceAll('\t', '    ')} />
          </div>
        ))}
      </pre>
    </details>
  )
}
