import type { EIP1193Provider } from 'viem'

/** What a small dApp can do; each step answers what it shows. */
export interface Dapp {
  connect(): Promise<unknown>
  add(): Promise<unknown>
  switch(): Promise<unknown>
  sign(): Promise<unknown>
  /** Support for atomic batches, and a batch that has to be one; only in one of the dApps. */
  capabilities?(): Promise<unknown>
  batch?(): Promise<unknown>
  /** Answers the hash. */
  send(): Promise<string>
  /** Answers once the transaction has a receipt, which it has when it is pre-confirmed. */
  receipt(hash: string): Promise<{ readonly blockHash: string; readonly status: unknown }>
}

/** The chain to add, as the address of the page says. */
export const target = {
  id: Number(new URLSearchParams(location.search).get('chain')),
  rpc: new URLSearchParams(location.search).get('rpc') ?? '',
  name: 'Second chain',
  currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
}

/** Who gets what is sent. */
export const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** What is signed. */
export const MESSAGE = 'Hello from the dApp'

/** Puts a button and a line of output for each step into the page. */
export function show(wallet: { readonly name: string; readonly rdns: string }, dapp: Dapp): void {
  line('wallet').textContent = `${wallet.name} ${wallet.rdns}`
  for (const step of ['connect', 'add', 'switch', 'sign'] as const) button(step, () => dapp[step]())
  for (const step of ['capabilities', 'batch'] as const) {
    const run = dapp[step]
    if (run !== undefined) button(step, run)
  }
  button('send', async () => {
    const hash = await dapp.send()
    const { blockHash, status } = await dapp.receipt(hash)
    return `${hash} ${status} ${/^0x0+$/.test(blockHash) ? 'pre-confirmed' : 'sealed'}`
  })
}

/** Lists the events of a provider, each in the order in which it came, and between them the end of each step. */
export function listEvents(provider: Pick<EIP1193Provider, 'on'>): void {
  provider.on('accountsChanged', (accounts) => log(`accountsChanged ${accounts.length}`))
  provider.on('chainChanged', (chainId) => log(`chainChanged ${chainId}`))
}

function button(name: string, run: () => Promise<unknown>): void {
  const output = line(name)
  const element = document.createElement('button')
  element.textContent = name
  element.addEventListener('click', async () => {
    output.textContent = '…'
    output.textContent = await run().then(textOf, errorText)
    log(`${name} done`)
  })
  document.body.append(element)
}

function line(name: string): HTMLElement {
  const output = document.createElement('output')
  output.id = name
  document.body.append(output)
  return output
}

function log(text: string): void {
  const item = document.createElement('li')
  item.textContent = text
  document.body.append(item)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The name that the library gives the error, and the code of the wallet wherever the library keeps it. */
function errorText(error: unknown): string {
  const codes: unknown[] = []
  for (let at: unknown = error; at instanceof Object; at = causeOf(at)) {
    if ('code' in at) codes.push(at.code)
  }
  const name = error instanceof Error ? error.name : 'no Error'
  return `refused: ${name} ${codes.join(' ')}`
}

function causeOf(error: object): unknown {
  if ('cause' in error) return error.cause
  // ethers keeps the wallet's error there.
  if ('info' in error && error.info instanceof Object && 'error' in error.info)
    return error.info.error
  return undefined
}
