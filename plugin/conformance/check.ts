import type { Profile } from '../../devnet/pluginApi.ts'
import type { Seen } from './run.ts'
import type { Answer, Question } from './wire.ts'

/** The moments of a run, with their headings. */
export const phases = {
  calm: 'Before anything is sent',
  gap: 'While a transaction waits',
  early: 'Before the seal',
  sealed: 'After the seal',
  told: 'Subscriptions',
} as const

export type Phase = keyof typeof phases

/** True if a check holds, false if not, or the reason why it is undecided. */
type Verdict = boolean | string

/** A question to the endpoint, or something that the run has seen. */
type Look = (seen: Seen) => Question | { readonly saw: unknown }

/** A check of one row of the table of profiles, for all profiles. */
export interface Check {
  /** The row, and a part of it. */
  readonly name: string
  readonly row: keyof Profile
  readonly part: string
  readonly phase: Phase
  readonly look: Look
  /** @param seen - everything, at the end */
  judge(answer: Answer, seen: Seen, profile: Profile): Verdict
  /** True if the check says something about a profile. */
  applies(profile: Profile): boolean
}

/** A look, its judgement by the row's value, and the profiles that it is for (default: all). */
export type Part<Value> = readonly [
  look: Look,
  judge: (answer: Answer, value: Value, seen: Seen, profile: Profile) => Verdict,
  applies?: (profile: Profile) => boolean,
]

type Rows = { readonly [Row in keyof Profile]?: Readonly<Record<string, Part<Profile[Row]>>> }

/** The checks of a phase, by row and part. A part `row` has the name of its row. */
export function checksAt(phase: Phase, rows: Rows): Check[] {
  // Object.entries forgets that each part has the type of its row.
  const entries = Object.entries(rows) as [keyof Profile, Readonly<Record<string, Part<unknown>>>][]
  return entries.flatMap(([row, parts]) =>
    Object.entries(parts).map(([part, [look, judge, applies = () => true]]) => ({
      ...{ name: part === 'row' ? row : `${row}.${part}`, row, part, phase, look, applies },
      judge: (answer: Answer, seen: Seen, profile: Profile) =>
        judge(answer, profile[row], seen, profile),
    })),
  )
}
