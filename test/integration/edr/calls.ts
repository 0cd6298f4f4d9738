import { encodeDeployData, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { artifact } from '../../support/solidity.ts'
import { feeHistoryForm, logsForm } from './forms.ts'
import { slot, storedSlot } from './slots.ts'
import { hexOf } from './values.ts'
import type { World } from './world.ts'

const token = artifact('Token')
const playground = artifact('Playground')

/** By how much an estimate may be above the least gas that is enough: 1.5 % of it by geth's search, EDR's steps by its. */
const ESTIMATE_SLACK = { ratio: 0.02, gas: 400 }

/** A call that may fail, on any block, with or without changes to the state. */
export async function call(world: World): Promise<void> {
  const { duel, random } = world
  const block = random.pick([
    'latest',
    'latest',
    numberToHex(random.below(world.head.number + 1)),
    { blockNumber: numberToHex(world.head.number) },
  ])
  const params = random.once(3)
    ? [request(world), block, overrides(world)]
    : [request(world), block]
  await duel.same('eth_call', params)
}

/** A call on what is pre-confirmed here, and what EDR would seal. */
export async function callPending(world: World): Promise<void> {
  await world.duel.same('eth_call', [request(world), 'pending'])
}

function request(world: World): object {
  const { random, targets } = world
  // Always given: `hardhat node` calls from its first account else, geth and our node from the zero address.
  const sender = { from: random.pick(world.accounts) }
  const play = (functionName: string, ...args: unknown[]) => ({
    ...sender,
    to: targets.playground,
    data: encodeFunctionData({ abi: playground.abi, functionName, args }),
  })
  switch (random.below(12)) {
    case 0:
      return play('failWithReason', random.pick(['no', '', 'ünïcödé \n"x"']))
    case 1:
      return play('failWithError', random.below(9))
    case 2:
      return play('failWithPanic', [])
    case 3:
      return { ...play('burnGas', 1000), gas: numberToHex(30_000 + random.below(400_000)) }
    case 4:
      return play('stored', random.pick([0, 3, 5, 1000, 1001, 1004]))
    case 5:
      return play('create', random.below(6), random.pick(world.accounts))
    case 6:
      return play('tryAndFail', 1, 2)
    case 7:
      return { ...sender, data: encodeDeployData({ ...token, args: [7n] }) }
    case 8:
      return { ...sender, to: targets.playground, data: '0x12345678' }
    case 9:
      return { ...sender, to: targets.token, value: '0x1' }
    case 10:
      return {
        ...sender,
        to: targets.token,
        data: encodeFunctionData({
          ...token,
          functionName: 'transfer',
          args: [world.account(1), BigInt(random.below(10_000))],
        }),
      }
    default:
      return {
        ...sender,
        to: targets.token,
        data: encodeFunctionData({
          ...token,
          functionName: 'balanceOf',
          args: [random.pick(world.accounts)],
        }),
      }
  }
}

/** Of what a call sees: balance, nonce, code, some slots or all. */
function overrides({ random, targets }: World): object {
  const slots = { [storedSlot(3)]: slot(77), [storedSlot(5)]: slot(0) }
  return random.pick([
    { [targets.playground]: { stateDiff: slots } },
    { [targets.playground]: { state: slots, balance: '0x5' } },
    { [targets.playground]: { code: RETURN_BALANCE, balance: '0x1234', nonce: '0x7' } },
    { [targets.token]: { code: '0x' } },
  ])
}

/** SELFBALANCE, and returns it. */
const RETURN_BALANCE: Hex = '0x475f5260205ff3'

/** What a block says of itself to a contract. The hash of its parent, the last word, is each node's own. */
export async function callEnvironment(world: World): Promise<void> {
  const { duel, random, targets } = world
  const data = encodeFunctionData({ abi: playground.abi, functionName: 'environment', args: [] })
  const number = 1 + random.below(world.head.number)
  if (world.untimed.has(number)) return
  const block = random.pick(['latest', numberToHex(number)])
  const request = { from: world.account(0), to: targets.playground, data }
  // Number, time, base fee, coinbase; prevRandao, which follows, was given to some blocks only.
  const words = (environment: unknown) => hexOf(environment).slice(0, 2 + 4 * 64)
  await duel.result('eth_call', [request, block], words)
}

/** Both estimates must be near each other, and each must be enough. */
export async function estimate(world: World): Promise<void> {
  const { duel, random } = world
  const transaction = request(world)
  // Without a block it is `pending`.
  const given = random.pick([['latest'], ['pending'], []])
  const [block = 'pending'] = given
  const params = [transaction, ...given]
  const answers = await duel.ask('eth_estimateGas', params)
  const [ours, theirs] = answers
  if ('error' in ours || 'error' in theirs) {
    duel.compare(`eth_estimateGas ${JSON.stringify(params)}`, answers)
    return
  }
  const [mine, other] = [Number(ours.result), Number(theirs.result)]
  const slack = Math.max(mine, other) * ESTIMATE_SLACK.ratio + ESTIMATE_SLACK.gas
  if (!(Math.abs(mine - other) <= slack)) {
    duel.differs(`eth_estimateGas ${JSON.stringify(params)} within ${slack} gas`, [mine, other])
  }
  for (const gas of [mine, other]) {
    await duel.result('eth_call', [{ ...transaction, gas: numberToHex(gas) }, block])
  }
}

/** Logs, fees and accounts of blocks before. */
export async function lookUp(world: World): Promise<void> {
  const { duel, random } = world
  const from = random.below(world.head.number + 1)
  const to = from + random.below(world.head.number + 1 - from)
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  await duel.result('eth_getLogs', [range], logsForm)
  const { targets } = world
  await duel.result(
    'eth_getLogs',
    [{ ...range, address: random.pick([targets.token, targets.playground]) }],
    logsForm,
  )
  await duel.result('eth_getLogs', [{ ...range, topics: [null, [slot(1), slot(3)]] }], logsForm)
  const count = numberToHex(1 + random.below(5))
  // Between the ends, EDR does not weigh tips by gas as geth does.
  await duel.result('eth_feeHistory', [count, numberToHex(to), [0, 100]], feeHistoryForm)
  await duel.result('eth_gasPrice')
  await duel.result('eth_maxPriorityFeePerGas')
  const address = random.pick(world.accounts)
  for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']) {
    await duel.result(method, [address, numberToHex(from)])
  }
}
