import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ethersCases } from './ethersCases.ts'
import { ignitionCases } from './ignitionCases.ts'
import { createProject, type Project } from './project.ts'
import { createStage, openProject, type Stage } from './stage.ts'
import { viemCases } from './viemCases.ts'

let project: Project
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  project = createProject()
  hre = await openProject(project)
})
afterAll(() => project[Symbol.dispose]())

describe.each(['instant', 'amsterdam', 'clocks'] as const)('%s', (mode) => {
  let stage: Stage

  // A node for each test, as its first transaction is to have nonce 0.
  beforeEach(async () => {
    stage = await createStage(hre, mode)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  describe('hardhat-ethers', () => ethersCases(() => stage))
  describe('hardhat-viem', () => viemCases(() => stage))
  describe('hardhat-ignition', () =>
    ignitionCases(
      () => stage,
      () => project.folder,
    ))
})

test('ethers.waitForTransactionReceipt: a send returns when it is sealed', async () => {
  await using stage = await createStage(hre, 'clocks', {
    ethers: { waitForTransactionReceipt: true },
  })
  await stage.devnet.clock.resume()
  const { ethers } = stage.connection
  const [signer] = await ethers.getSigners()
  const response = await signer?.sendTransaction({ to: signer.address })
  const receipt = await ethers.provider.getTransactionReceipt(response?.hash ?? '')
  const block = await ethers.provider.getBlock(receipt?.blockNumber ?? -1)
  expect(block?.hash).toBe(receipt?.blockHash)
  expect(block?.transactions).toEqual([response?.hash])
})
