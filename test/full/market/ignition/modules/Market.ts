import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

export default buildModule('Market', (m) => {
  const supply = m.getParameter('supply', 1_000_000n)
  const base = m.contract('Token', [supply], { id: 'Base' })
  const quote = m.contract('Token', [supply], { id: 'Quote' })
  const vault = m.contract('Vault', [base])
  const pool = m.contract('Pool', [base, quote])
  const approvals = [
    m.call(base, 'approve', [pool, 100_000n], { id: 'ApproveBase' }),
    m.call(quote, 'approve', [pool, 200_000n], { id: 'ApproveQuote' }),
  ]
  m.call(pool, 'addLiquidity', [100_000n, 200_000n], { after: approvals })
  const points = m.library('Points')
  const logic = m.contract('Rewards', [], { id: 'Logic', libraries: { Points: points } })
  const proxy = m.contract('Proxy', [logic, m.encodeFunctionCall(logic, 'initialize', [vault])])
  const rewards = m.contractAt('Rewards', proxy)
  return { base, quote, vault, pool, rewards }
})
