import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

/** Two contracts, of which one needs the other, and a call. */
export default buildModule('Shop', (module) => {
  const stock = module.contract('Stock', [module.getAccount(0)])
  const shop = module.contract('Shop', [stock])
  module.call(shop, 'open')
  return { stock, shop }
})
