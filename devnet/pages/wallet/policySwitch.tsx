import type { Policy } from '../../wallet/types.ts'
import type { Act } from './control.ts'

const CHOICES = [
  ['hold', 'Ask me'],
  ['approve', 'Approve'],
  ['reject', 'Reject'],
] as const

interface PolicySwitchProps {
  /** `undefined` on a page that may change nothing. */
  readonly policy: Policy | undefined
  readonly act: Act
}

/** The buttons that decide what happens to new requests. */
export function PolicySwitch({ policy, act }: PolicySwitchProps) {
  const rules = policy?.rules.length ?? 0
  return (
    <fieldset class="policy">
      <legend>New requests</legend>
      <div class="choices">
        {CHOICES.map(([decision, label]) => (
          <button
            key={decision}
            type="button"
            aria-pressed={decision === policy?.default}
            disabled={policy === undefined}
            onClick={() => act('control_policy', { default: decision })}
          >
            {label}
          </button>
        ))}
      </div>
      {rules > 0 && (
        <span>{`unless ${rules === 1 ? 'a rule' : `${rules} rules`} of a test decides`}</span>
      )}
    </fieldset>
  )
}
