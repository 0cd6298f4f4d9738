import { useState } from 'preact/hooks'
import { reasonOf } from '../../primitives/errors.ts'
import { type CopiedCall, copiesOf } from './copyAs.ts'
import { Icon } from './icons.tsx'

/** Buttons that copy a call for viem, cast and curl. */
export function CopyAsMenu({ call }: CopyAsMenuProps) {
  const [done, setDone] = useState('')
  const copy = async (name: 'viem' | 'cast' | 'curl') => {
    try {
      const given = typeof call === 'function' ? await call() : call
      await navigator.clipboard.writeText(copiesOf(given, location.origin)[name])
      setDone(`Copied for ${name}`)
    } catch (error) {
      setDone(reasonOf(error))
    }
  }
  return (
    <span class="copy-as">
      <span class="note">Copy as</span>
      {(['viem', 'cast', 'curl'] as const).map((name) => (
        <button key={name} type="button" class="button small" onClick={() => copy(name)}>
          {name} <Icon name={done === `Copied for ${name}` ? 'done' : 'copy'} />
        </button>
      ))}
      <span class="note" role="status">
        {done}
      </span>
    </span>
  )
}

interface CopyAsMenuProps {
  /** A function finds it out when a button is pressed; its error is shown. */
  readonly call: CopiedCall | (() => CopiedCall | Promise<CopiedCall>)
}
