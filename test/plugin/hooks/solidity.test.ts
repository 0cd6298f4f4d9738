import type { HookContext, SolidityHooks } from 'hardhat/types/hooks'
import { expect, test } from 'vitest'
import solidityHooks from '../../../plugin/hooks/solidity.ts'

type InvokeSolc = Parameters<SolidityHooks['invokeSolc']>
type Input = InvokeSolc[2]

/** What the compiler is asked for, if a project asks for this. */
async function asked(input: Input): Promise<Input> {
  const { invokeSolc } = await solidityHooks()
  let given: Input | undefined
  await invokeSolc?.(
    {} as HookContext,
    {} as InvokeSolc[1],
    input,
    {} as InvokeSolc[3],
    async (_context, _compiler, passedOn) => {
      given = passedOn
      return { sources: {} }
    },
  )
  return given as Input
}

const input = (language: string, outputSelection: Input['settings']['outputSelection']): Input => ({
  language,
  sources: {},
  settings: { optimizer: {}, outputSelection },
})

test('solc is asked for the layout of storage, beside all that the project asks for', async () => {
  const given = input('Solidity', { '*': { '': ['ast'], '*': ['abi'] }, 'a.sol': { A: ['ir'] } })
  expect((await asked(given)).settings.outputSelection).toEqual({
    '*': { '': ['ast'], '*': ['abi', 'storageLayout'] },
    'a.sol': { A: ['ir'] },
  })
  expect(given.settings.outputSelection['*']?.['*']).toEqual(['abi'])
})

test('another language is compiled as it is', async () => {
  const given = input('Yul', { '*': { '*': ['abi'] } })
  expect(await asked(given)).toBe(given)
})
