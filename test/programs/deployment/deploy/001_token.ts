// Deploys, sends and reads, each once it has the receipt of what came before.
import { setupDeployScripts } from 'rocketh'
import { artifact } from '../../../support/solidity.ts'
import { type config, extensions } from '../rocketh/config.ts'

const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const { deployScript } = setupDeployScripts<
  typeof extensions,
  typeof config.accounts,
  typeof config.data
>(extensions)

export default deployScript(
  async ({ deploy, execute, read, namedAccounts: { deployer } }) => {
    const { abi, bytecode } = artifact('Token')
    const token = await deploy('Token', {
      account: deployer,
      artifact: { abi, bytecode, metadata: '{}' },
      args: [1_000n],
    })
    for (const value of [10n, 20n]) {
      await execute(token, { account: deployer, functionName: 'transfer', args: [other, value] })
    }
    const balance = await read(token, { functionName: 'balanceOf', args: [other] })
    if (balance !== 30n) throw new Error(`wrong balance: ${balance}`)
    console.log('deployed and read')
  },
  { tags: ['token'] },
)
