import { useState } from 'preact/hooks'
import { plural } from '../kit/shownValue.ts'
import { Copy } from './parts.tsx'
import { useAnswer } from './useAnswer.ts'

/** Answers of the node's own methods, asked for when it is opened. */
export function RawAnswer({ hash, isSealed }: RawAnswerProps) {
  const [isOpen, setOpen] = useState(false)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getTransactionReceipt',
    params: [hash],
  })
  const curl = `curl ${location.origin} -H 'content-type: application/json' -d '${body}'`
  const viem = `const receipt = await publicClient.getTransactionReceipt({ hash: '${hash}' })`
  return (
    <details
      class="panel raw"
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open)
      }}
    >
      <summary class="pad">Raw</summary>
      <div class="pad copies">
        <span>Copy as</span>
        <CopyAs name="curl" text={curl} />
        <CopyAs name="viem" text={viem} />
      </div>
      {isOpen && <Opened hash={hash} isSealed={isSealed} />}
    </details>
  )
}

interface RawAnswerProps {
  readonly hash: `0x${string}`
  readonly isSealed: boolean
}

function Opened({ hash, isSealed }: RawAnswerProps) {
  const { answer, error } = useAnswer('raw', { hash }, isSealed ? 'undone' : 'always')
  if (error !== undefined) return <p class="pad note">{error}</p>
  if (answer === undefined) return <p class="pad note">Loading…</p>
  const { transaction, receipt, omittedEvents } = answer
  return (
    <>
      <pre>{JSON.stringify({ transaction, receipt }, null, 2)}</pre>
      {omittedEvents > 0 && <p class="pad note">{`and ${plural(omittedEvents, 'event')} more`}</p>}
    </>
  )
}

function CopyAs({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <span>
      {name} <Copy text={text} what={name} />
    </span>
  )
}
