import type { AtomicStatus, Policy, PolicyDecision } from '../../wallet/types.ts'
import type { Act } from './control.ts'

const DECISIONS: readonly (readonly [PolicyDecision, string])[] = [
  ['hold', 'Ask me'],
  ['approve', 'Always approve'],
  ['reject', 'Always reject'],
]

const STATUSES: readonly (readonly [AtomicStatus, string])[] = [
  ['unsupported', 'One by one'],
  ['ready', 'After an upgrade'],
  ['supported', 'Together'],
]

interface PolicySwitchProps {
  /** `undefined` on a page that may change nothing. */
  readonly policy: Policy | undefined
  readonly act: Act
}

/** The buttons that decide what happens to new requests, and how batches of calls are sent. */
export function PolicySwitch({ policy, act }: PolicySwitchProps) {
  const [atomic, ...others] = policy?.atomic ?? [{ status: 'unsupported' as const }]
  return (
    <>
      <Choices
        legend="New requests"
        choices={DECISIONS}
        chosen={policy?.default}
        rules={policy?.rules.length ?? 0}
        choose={(decision) => act('control_policy', { default: decision })}
      />
      <Choices
        legend="Batches of calls"
        choices={STATUSES}
        chosen={policy && atomic?.status}
        rules={others.length}
        choose={(status) => act('control_policy', { atomic: status })}
      />
    </>
  )
}

interface ChoicesProps<Choice> {
  readonly legend: string
  readonly choices: readonly (readonly [Choice, string])[]
  /** `undefined` if none can be chosen. */
  readonly chosen: Choice | undefined
  /** Number of rules that count more. */
  readonly rules: number
  readonly choose: (choice: Choice) => void
}

function Choices<Choice extends string>(props: ChoicesProps<Choice>) {
  const { legend, choices, chosen, rules, choose } = props
  return (
    <fieldset class="policy">
      <legend>{legend}</legend>
      <div class="choices">
        {choices.map(([choice, label]) => (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === chosen}
            disabled={chosen === undefined}
            onClick={() => choose(choice)}
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
