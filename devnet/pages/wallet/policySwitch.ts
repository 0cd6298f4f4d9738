import type { Policy, PolicyDecision } from '../../wallet/types.ts'
import { byId, el, showText } from './dom.ts'

const LABELS: Record<PolicyDecision, string> = {
  hold: 'Ask me',
  approve: 'Approve',
  reject: 'Reject',
}

const CHOICES = ['hold', 'approve', 'reject'] as const

export interface PolicySwitch {
  show(policy: Policy): void
  /** Disables the buttons, for a page that may change nothing. */
  disable(): void
}

/** The buttons that decide what happens to new requests. */
export function createPolicySwitch(choose: (decision: PolicyDecision) => void): PolicySwitch {
  const buttons = CHOICES.map((decision) => {
    const button = el('button', { type: 'button', 'aria-pressed': 'false' }, LABELS[decision])
    button.disabled = true
    button.addEventListener('click', () => choose(decision))
    byId('policy').append(button)
    return { button, decision }
  })
  return {
    show(policy) {
      for (const { button, decision } of buttons) {
        button.disabled = false
        button.setAttribute('aria-pressed', String(decision === policy.default))
      }
      const { length } = policy.rules
      const rules = length === 1 ? 'a rule' : `${length} rules`
      showText(byId('rules'), length === 0 ? undefined : `unless ${rules} of a test decides`)
    },
    disable() {
      for (const { button } of buttons) {
        button.disabled = true
        button.setAttribute('aria-pressed', 'false')
      }
      showText(byId('rules'), undefined)
    },
  }
}
