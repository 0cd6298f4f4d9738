import { expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import {
  createStepChain,
  NOBODY,
  outcomes,
  playSteps,
  STEPS,
  sealedAs,
  stepChain,
  traced,
} from '../../chain/stepChain.ts'
import { at, type DumpJson } from './dumpJson.ts'
import { dumpOf, restored } from './support.ts'

test('steps of sealed and pending blocks come back, with equal traces', async () => {
  const node = await createStepChain()
  await playSteps(node)
  await node.clocks.seal()
  await playSteps(node)
  expect(node.places()).toEqual(STEPS)
  const again = await stepChain(await restored(await dumpOf(node)))
  expect(again.places()).toEqual(STEPS)
  expect(again.chain.pending.steps).toEqual(node.chain.pending.steps)
  expect(again.chain.head.steps).toEqual(node.chain.head.steps)
  for (const block of ['0x1', 'pending']) {
    expect(await again.traces(block)).toEqual(await node.traces(block))
  }
  expect(await traced(again, 'pending')).toEqual(outcomes(node))
  const [sealed, expected] = [await again.clocks.seal(), await node.clocks.seal()]
  expect(sealedAs(sealed)).toEqual(sealedAs(expected))
  expect(await again.traces('0x2')).toEqual(await node.traces('0x2'))
})

const DAMAGES: [name: string, change: (json: DumpJson) => void, message: RegExp][] = [
  [
    'a step without a place',
    (json) => {
      delete sealedStep(json).after
    },
    /: blocks\.1\.steps\.0\.after is missing\.$/,
  ],
  [
    'a step behind more transactions than the block has',
    (json) => {
      sealedStep(json).after = 4
    },
    /: blocks\.1\.steps\.0\.after is 4, but the block has 3 transactions\.$/,
  ],
  [
    'a step before all transactions',
    (json) => {
      sealedStep(json).after = 0
    },
    /: blocks\.1\.steps\.0\.after is 0, but the block has 3 transactions\.$/,
  ],
  [
    'steps that are no list',
    (json) => {
      Object.assign(at(json.blocks, 1), { steps: {} })
    },
    /: blocks\.1\.steps must be a list, not \{\}\.$/,
  ],
  [
    'an address that is none',
    (json) => {
      sealedStep(json).accounts = { '0x12': null }
    },
    /: blocks\.1\.steps\.0\.accounts\.0x12 is not an address of 40 hexadecimal digits\.$/,
  ],
  [
    'an account without a balance',
    (json) => {
      sealedStep(json).accounts = { [NOBODY]: { nonce: '0x1' } }
    },
    /: blocks\.1\.steps\.0\.accounts\.0x(?:ab){20}\.balance is missing\.$/,
  ],
  [
    'a code that is not there',
    (json) => {
      const record = { nonce: '0x1', balance: '0x1', code_hash: `0x${'77'.repeat(32)}` }
      sealedStep(json).accounts = { [NOBODY]: record }
    },
    /: blocks\.1\.steps\.0\.accounts\.0x(?:ab){20}\.code_hash names a code that is not there\.$/,
  ],
  [
    'a slot that is none',
    (json) => {
      sealedStep(json).storage = { [NOBODY]: { slot: '0x1' } }
    },
    /: blocks\.1\.steps\.0\.storage\.0x(?:ab){20}\.slot /,
  ],
  [
    'a pending step of an unknown command',
    (json) => {
      pendingStep(json).kind = 'setColour'
    },
    /: pending_node\.pending\.steps\.0\.kind is "setColour", which names no command that changes the state\.$/,
  ],
  [
    'a pending step without its value',
    (json) => {
      delete pendingStep(json).balance
    },
    /: pending_node\.pending\.steps\.0\.balance is missing\.$/,
  ],
  [
    'a pending step with a value too large',
    (json) => {
      pendingStep(json).balance = `0x1${'0'.repeat(64)}`
    },
    /: pending_node\.pending\.steps\.0\.balance must be a number below 2\^256, not "0x1(?:0){64}"\.$/,
  ],
  [
    'a pending step of no account',
    (json) => {
      delete pendingStep(json).address
    },
    /: pending_node\.pending\.steps\.0\.address is missing\.$/,
  ],
  [
    'a pending step behind transactions that are not there',
    (json) => {
      pendingStep(json).after = 99
    },
    /: pending_node\.pending\.steps\.0\.after is 99, but the block has 3 transactions\.$/,
  ],
]

const sealedStep = (json: DumpJson) => at(at(json.blocks, 1).steps, 0)
const pendingStep = (json: DumpJson) => at(json.pending_node?.pending.steps, 0)

let made: Promise<string> | undefined

/** A file with steps in a sealed block and in the pending one. */
async function withSteps(): Promise<string> {
  const node = await createStepChain()
  await playSteps(node)
  await node.clocks.seal()
  await playSteps(node)
  return dumpOf(node)
}

test.each(DAMAGES)('one sentence says what is wrong: %s', async (_, change, message) => {
  made ??= withSteps()
  const json: DumpJson = JSON.parse(await made)
  change(json)
  const loading = restored(json)
  await expect(loading).rejects.toThrow(ChainFileError)
  await expect(loading).rejects.toThrow(message)
})
