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
  return { base, quote, vault, pool }
})
