import { type Hex, numberToHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { useArena, withArena } from './arena.ts'
import { open } from './blocks.ts'
import { sendRefused } from './sends.ts'
import { CAPS, draft } from './transactions.ts'
import type { World } from './world.ts'

// Automine on both: each transaction is sealed at once, and what is wrong with it comes back from the send.
// Another run: EDR_SEED=7 EDR_STEPS=500 npx vitest run test/integration/edr/instant.test.ts

const FILE = 'test/integration/edr/instant.test.ts'
const DEPLOYER: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const SENDER: Hex = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

const seed = Number(process.env.EDR_SEED ?? 1)
const steps = Number(process.env.EDR_STEPS ?? 100)

test(`default: ${steps} transactions, seed ${seed}`, {
  timeout: 60_000 + steps * 100,
}, async () => {
  const again = `EDR_SEED=${seed} EDR_STEPS=${steps} npx vitest run ${FILE}`
  await withArena({ seed, again }, async (world) => {
    const { duel, random } = world
    await duel.result('evm_setAutomine', [true])
    await duel.result('hardhat_getAutomine')
    for (let step = 0; step < steps; step++) {
      if (random.once(6)) {
        duel.begin('send in vain')
        await sendRefused(world)
        await duel.result('eth_blockNumber')
      } else {
        await sendOne(world)
      }
    }
    await duel.result('evm_setAutomine', [false])
    await duel.result('hardhat_getAutomine')
    await world.compareAll()
    const { blocks, succeeded, failed } = world.compared
    expect(succeeded).toBeGreaterThan(steps / 4)
    expect(failed).toBeGreaterThan(steps / 10)
    expect(blocks).toBeGreaterThan(steps / 2)
  })
})

describe('a send that is refused', () => {
  const world = useArena(`npx vitest run ${FILE}`)
  const good = { from: SENDER, to: SENDER, gas: '0x5208', ...CAPS }

  beforeAll(async () => {
    await world().duel.result('evm_setAutomine', [true])
  })

  test.each<{ readonly name: string; readonly fields: object }>([
    { name: 'a nonce that is used up', fields: { from: DEPLOYER, nonce: '0x0' } },
    { name: 'a nonce too high', fields: { nonce: '0x9' } },
    { name: 'a nonce too high, without gas', fields: { nonce: '0x9', gas: undefined } },
    {
      name: 'a cap below the base fee',
      fields: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' },
    },
    { name: 'more value than there is', fields: { value: numberToHex(2n ** 90n) } },
    {
      name: 'a nonce that is used up, without gas',
      fields: { from: DEPLOYER, nonce: '0x0', gas: undefined },
    },
    {
      name: 'more value than there is, without gas',
      fields: { value: numberToHex(2n ** 90n), gas: undefined },
    },
    {
      name: 'an unknown account, without gas',
      fields: { from: '0x00000000000000000000000000000000000000ff', gas: undefined },
    },
    { name: 'neither recipient nor data, without gas', fields: { to: undefined, gas: undefined } },
    {
      name: 'a cap below the base fee, without gas',
      fields: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0', gas: undefined },
    },
    { name: 'another chain, without gas', fields: { chainId: '0x1', gas: undefined } },
  ])('$name', async ({ name, fields }) => {
    const { duel } = world()
    duel.begin(name)
    const request = { ...good, ...fields }
    // Nothing to be undone, and the ids of snapshots part: EDR takes one for each such send.
    expect(await duel.same('eth_sendTransaction', [request])).toHaveProperty('error')
  })
})

describe('a send that fails', () => {
  const world = useArena(`npx vitest run ${FILE}`)

  beforeAll(async () => {
    await world().duel.result('evm_setAutomine', [true])
  })

  const HALTING: Hex = '0x00000000000000000000000000000000000000ed'

  describe.each([
    { sent: 'without gas, is refused', gas: undefined, sealed: 0 },
    { sent: 'with gas, is sealed', gas: '0x30d40', sealed: 1 },
  ])('$sent', ({ gas, sealed }) => {
    test.each<[name: string, code: Hex]>([
      ['a revert', '0x5f5ffd'],
      ['INVALID', '0xfe'],
      ['an opcode that is none', '0x0c'],
      ['RETURNDATACOPY beyond the end', '0x60015f5f3e'],
      ['stack underflow', '0x01'],
    ])('%s', async (name, code) => {
      const { duel } = world()
      duel.begin(name)
      await duel.result('hardhat_setCode', [HALTING, code])
      const before = await duel.result('eth_blockNumber')
      const request = { from: SENDER, to: HALTING, gas, ...CAPS }
      expect(await duel.same('eth_sendTransaction', [request])).toHaveProperty('error')
      const after = await duel.result('eth_blockNumber')
      expect(Number(after) - Number(before)).toBe(sealed)
    })
  })
})

/** Both must seal it at once, and answer its hash or why it failed. */
async function sendOne(world: World): Promise<void> {
  const { duel, random, traffic, head } = world
  const before = head.number
  if (random.once(2)) {
    duel.begin('send traffic')
    await duel.same('eth_sendRawTransaction', [await traffic.next(world.targets)])
  } else {
    duel.begin('send by the node')
    const sender = random.below(world.accounts.length)
    await duel.same('eth_sendTransaction', [draft(world, sender)])
    traffic.takeNonce(sender)
  }
  await world.afterSeal()
  expect(world.head.number).toBe(before + 1)
  await open(world)
}
