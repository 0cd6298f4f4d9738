import type { Outcome } from './peer.ts'
import type { World } from './world.ts'

/** A request that at least one of both nodes refuses. */
export interface Case {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[] | ((world: World) => Promise<readonly unknown[]>)
  /** Where only one of them refuses: which, and why that is meant. */
  readonly only?: { readonly refuses: 'ours' | 'EDR'; readonly why: string }
  /** What happens before, and is undone after. */
  readonly before?: (world: World) => Promise<void>
}

/** Plays a case and undoes it; what both refuse must be refused alike. */
export async function play(world: World, one: Case): Promise<void> {
  const { duel } = world
  duel.begin(one.name)
  const id = await duel.result('evm_snapshot')
  try {
    await playAt(world, one)
  } finally {
    await duel.result('evm_revert', [id])
  }
}

async function playAt(world: World, one: Case): Promise<void> {
  const { duel } = world
  await one.before?.(world)
  const params = typeof one.params === 'function' ? await one.params(world) : one.params
  const outcomes = await duel.ask(one.method, params)
  const [ours, theirs] = outcomes
  const refusing = refusers(ours, theirs)
  const want = one.only?.refuses ?? 'both'
  const what = `${one.method} ${JSON.stringify(params)}`
  if (refusing !== want) duel.differs(`${what}: ${want} must refuse, not ${refusing}`, outcomes)
  if (refusing === 'both') duel.compare(what, outcomes)
}

function refusers(ours: Outcome, theirs: Outcome): 'both' | 'none' | 'ours' | 'EDR' {
  if ('error' in ours) return 'error' in theirs ? 'both' : 'ours'
  return 'error' in theirs ? 'EDR' : 'none'
}
