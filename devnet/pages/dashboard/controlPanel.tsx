import { useState } from 'preact/hooks'
import type { Command } from '../../dashboard/methods/command.ts'
import { Key } from '../kit/elements.tsx'
import { count, dateTime, plural, timeOfDay } from '../kit/shownValue.ts'
import { ClockLine } from './clockLine.tsx'
import { Confirmed } from './confirmed.tsx'
import {
  ADVANCE_FIELD,
  isPanelOpen,
  seal,
  takeSnapshot,
  tick,
  toggleBoth,
  toggleSealing,
} from './keyBindings.ts'
import { Switch } from './parts.tsx'
import { type Answer, canCommand, chainTime, command, isTimeFrozen, state } from './store.ts'

/** Controls that change the node: the clocks and the snapshots. */
export function ControlPanel() {
  const current = state.value
  if (current === undefined) return null
  const { status, snapshots, follows } = current
  const { sealing, ticks, instant } = status
  return (
    <aside class={isPanelOpen.value ? 'side open' : 'side'} aria-label="Control panel">
      {follows !== null && (
        <p class="note pad">{`This node follows ${follows} and takes no commands.`}</p>
      )}
      <fieldset disabled={!canCommand.value}>
        <section class="panel control" aria-label="Clocks">
          <h2>Clocks</h2>
          <div class="pad clocks">
            <p class="time" title={dateTime(chainTime.value)}>
              <span class="note">{isTimeFrozen.value ? 'Time stands at' : 'Chain time'}</span>{' '}
              <span class="mono">{timeOfDay(chainTime.value)}</span>
            </p>
            <ClockLine name="tick" />
            <ClockLine name="seal" />
            <div class="buttons">
              <ActionButton hint="f" onClick={toggleSealing}>
                {sealing.running ? 'Freeze sealing' : 'Resume'}
              </ActionButton>
              <ActionButton hint="⇧F" isDisabled={!ticks.running} onClick={toggleBoth}>
                Freeze both
              </ActionButton>
              <ActionButton hint="t" onClick={tick}>
                Tick
              </ActionButton>
              <ActionButton hint="s" onClick={seal}>
                Seal
              </ActionButton>
            </div>
            <Advance />
            <Switch
              isOn={instant}
              onSwitch={(enabled) => {
                const words = enabled ? 'Instant mode is on.' : 'Instant mode is off.'
                command({ name: 'instant', enabled }, words)
              }}
              words="Seal each transaction at once"
            />
          </div>
        </section>
        <section class="panel control" aria-label="Snapshots">
          <h2>Snapshots</h2>
          <div class="pad">
            {snapshots.length === 0 ? (
              <p class="note">None yet. A snapshot keeps all of the chain, what is pending too.</p>
            ) : (
              <ul class="snapshots">
                {snapshots.toReversed().map((snapshot) => (
                  <SnapshotRow key={snapshot.id} snapshot={snapshot} />
                ))}
              </ul>
            )}
            <div class="buttons one">
              <ActionButton hint="⇧S" onClick={takeSnapshot}>
                Take snapshot
              </ActionButton>
            </div>
            <div class="reset">
              <Confirmed
                label="Reset chain…"
                question="Go back to the first block?"
                params={{ name: 'reset' }}
                done="The chain starts again."
              />
            </div>
          </div>
        </section>
      </fieldset>
    </aside>
  )
}

interface ActionButtonProps {
  readonly hint: string
  readonly isDisabled?: boolean
  readonly onClick: () => void
  readonly children: string
}

function ActionButton({ hint, isDisabled = false, onClick, children }: ActionButtonProps) {
  return (
    <button type="button" class="button" disabled={isDisabled} onClick={() => onClick()}>
      {children} <Key name={hint} />
    </button>
  )
}

function Advance() {
  const [amount, setAmount] = useState('1')
  const [unit, setUnit] = useState<'ticks' | 'blocks'>('blocks')
  const wanted = Number(amount)
  const isRight = /^\d{1,9}$/.test(amount) && wanted > 0
  return (
    <form
      class="advance"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isRight) return
        const params: Command =
          unit === 'ticks'
            ? { name: 'advance', ticks: wanted }
            : { name: 'advance', blocks: wanted }
        command(params, `Advanced by ${plural(wanted, unit.slice(0, -1))}.`)
      }}
    >
      <label>
        <span class="unseen">How many to advance</span>
        <input
          id={ADVANCE_FIELD}
          class="field"
          inputMode="numeric"
          autoComplete="off"
          value={amount}
          aria-invalid={!isRight}
          onInput={({ currentTarget: { value } }) => setAmount(value.trim())}
        />
      </label>
      <label>
        <span class="unseen">Advance ticks or blocks</span>
        <select
          class="field"
          value={unit}
          onChange={({ currentTarget: { value } }) =>
            setUnit(value === 'ticks' ? 'ticks' : 'blocks')
          }
        >
          <option value="blocks">blocks</option>
          <option value="ticks">ticks</option>
        </select>
      </label>
      <button type="submit" class="button" disabled={!isRight}>
        Advance <Key name="a" />
      </button>
    </form>
  )
}

function SnapshotRow({ snapshot }: { readonly snapshot: Answer<'state'>['snapshots'][number] }) {
  const { id, block, pending, waiting, time } = snapshot
  const more = [
    ...(pending > 0 ? [`${count(pending)} pre-confirmed`] : []),
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
  ]
  return (
    <li>
      <span title={`evm_revert takes it as ${id}`}>
        {`Snapshot ${Number(id)}, at block ${count(block)}`}
        <br />
        <span class="note">{[timeOfDay(time), ...more].join(', ')}</span>
      </span>
      <Confirmed
        label="Revert"
        question="Revert to it?"
        params={{ name: 'revert', id }}
        done={`Reverted to snapshot ${Number(id)}.`}
      />
    </li>
  )
}
