import type { PeerName } from './peers.ts'
import type { Measurement, Scenario } from './scenario.ts'
import { median } from './statistics.ts'

/** One peer's number. */
export interface Value {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly samples: number
  readonly note?: string
}

/** One line of the report. */
export interface Row {
  readonly metric: string
  readonly unit: string
  readonly better: Measurement['better']
  readonly values: Partial<Record<PeerName, Value>>
  /** Ours against each other peer; more than 1 is better for us. */
  readonly ratios: Partial<Record<PeerName, number>>
}

/** All rounds of one scenario. */
export interface ScenarioResult {
  readonly name: string
  readonly about: string
  readonly rows: readonly Row[]
}

/** Takes the medians over all rounds, and the ratios between peers. */
export function summarize(
  { name, about }: Scenario,
  measured: ReadonlyMap<PeerName, readonly Measurement[]>,
): ScenarioResult {
  const all = [...measured.values()].flat()
  const metrics = new Map(all.map((measurement) => [measurement.metric, measurement]))
  const rows = [...metrics.values()].map(({ metric, unit, better }): Row => {
    const values: Partial<Record<PeerName, Value>> = {}
    for (const [peer, measurements] of measured) {
      const samples = measurements.filter((measurement) => measurement.metric === metric)
      if (samples.length > 0) values[peer] = summaryOf(samples)
    }
    return { metric, unit, better, values, ratios: ratiosOf(values, better) }
  })
  return { name, about, rows }
}

function summaryOf(samples: readonly Measurement[]): Value {
  const numbers = samples.map(({ value }) => value)
  const note = samples.find((sample) => sample.note !== undefined)?.note
  return {
    median: median(numbers),
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    samples: numbers.length,
    ...(note === undefined ? {} : { note }),
  }
}

/** None where a number is not positive, as growth of memory can be. */
function ratiosOf(values: Row['values'], better: Row['better']): Row['ratios'] {
  const { ours, ...others } = values
  const ratios: Partial<Record<PeerName, number>> = {}
  if (ours === undefined || better === 'neither') return ratios
  for (const peer of ['anvil', 'hardhat'] as const) {
    const other = others[peer]
    if (other === undefined || other.median <= 0 || ours.median <= 0) continue
    ratios[peer] = better === 'higher' ? ours.median / other.median : other.median / ours.median
  }
  return ratios
}
