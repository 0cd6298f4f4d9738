import { parseArgs } from 'node:util'
import { type Peer, peers } from './peers.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

/** What the command line asks for. */
export interface Arguments {
  readonly scenarios: readonly Scenario[]
  readonly peers: readonly Peer[]
  /** For every scenario, instead of its own number. */
  readonly rounds: number | undefined
  /** For a scenario that can last. */
  readonly minutes: number | undefined
  /** Where the results go. */
  readonly json: string
}

/** @throws {Error} when an argument is unknown or names something that there is not */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string', default: 'bench-results.json' },
      minutes: { type: 'string' },
      only: { type: 'string' },
      peers: { type: 'string' },
      rounds: { type: 'string' },
    },
  })
  return {
    scenarios: chosen(scenarios, values.only, '--only'),
    peers: chosen(peers, values.peers, '--peers'),
    rounds: count(values.rounds, '--rounds'),
    minutes: count(values.minutes, '--minutes'),
    json: values.json,
  }
}

function count(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`${option} must be a number from 1 on, not ${text}.`)
}

function chosen<Named extends { readonly name: string }>(
  all: readonly Named[],
  names: string | undefined,
  option: string,
): readonly Named[] {
  if (names === undefined) return all
  const wanted = names.split(',')
  const unknown = wanted.find((name) => !all.some((one) => one.name === name))
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ')
    throw new Error(`${option}: there is no ${unknown}, but ${known}.`)
  }
  return all.filter(({ name }) => wanted.includes(name))
}
