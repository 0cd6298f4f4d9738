import { encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWallet } from '../../devnet/wallet/index.ts'
import { artifact } from '../support/solidity.ts'
import { startHardhat } from './hardhatProcess.ts'
import { createProject, type TemporaryProject } from './temporaryProject.ts'

const { abi, bytecode } = artifact('Talker')
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TALKER = getContractAddress({ from: FROM, nonce: 0n }).toLowerCase()

let project: TemporaryProject

beforeAll(() => {
  project = createProject('Talker')
})
afterAll(() => {
  project[Symbol.dispose]()
})

const encode = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args })

/** A node in a project that has the artifact of Talker, and on which Talker is deployed and pre-confirmed. */
async function startNode(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const hardhat = startHardhat(['pending-node', '--port', '0', '--frozen-ticks', ...args], {
    cwd: project.path,
    env,
  })
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await hardhat.firstLine)?.[0] ?? ''
  const request = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return await response.json()
  }
  const tick = () => request('preconf_advance', { ticks: 1 })
  const send = (data: string, fields: object = {}) =>
    request('eth_sendTransaction', { from: FROM, to: TALKER, data, ...fields })
  await send(encodeDeployData({ abi, bytecode, args: ['Ada'] }), { to: undefined })
  await tick()
  /** What it printed, from the line of the first tick on. */
  const stop = async () => {
    hardhat.child.kill('SIGINT')
    const { stdout, stderr, code } = await hardhat.ended
    expect([stderr, code]).toEqual(['', 130])
    const lines = stdout.split('\n')
    return lines.slice(lines.findIndex((line) => /pre-confirmed|"consoleLog"/.test(line)))
  }
  return { ...hardhat, request, tick, send, stop }
}

/** Hashes and times, which are not the same each time. */
const masked = (line: string) =>
  line
    .replace(/^\d\d:\d\d:\d\d\.\d{3} /, '')
    .replace(/0x[0-9a-f]{64}/g, '0x<hash>')
    .replace(/0x[0-9a-f]{6}…/g, '0x<hash>…')
    .replace(/[\d.]+ ms/g, '<time> ms')
    .replace(/[\d,]+ gas/g, '<gas> gas')
    .replace(/[\d,]+ of <gas> gas$/, '<gas> of <limit>')

test('default: console.log, transactions by name, failed calls; each thing once', async () => {
  await using node = await startNode([])
  await node.request('eth_call', { to: TALKER, data: encode('look') }, 'pending')
  await node.request('eth_call', { to: TALKER, data: encode('fail') }, 'pending')
  await node.request('eth_estimateGas', { from: FROM, to: TALKER, data: encode('whisper') })
  await node.request('no_such_method')
  await node.request('no_such_method')
  await node.request('eth_chainId')
  await node.send(encode('talk', 'x\u001b[2J\nsealed         block 9', 5n), { value: '0x0' })
  await node.send(encode('whisper'))
  await node.send('0x', { to: FROM, value: '0xde0b6b3a7640000' })
  await node.tick()
  // Executes all of them again; then they are sealed.
  await node.request('hardhat_setBalance', `0x${'12'.repeat(20)}`, '0x1')
  await node.request('preconf_seal')
  const lines = await node.stop()
  expect(`\n${lines.map(masked).join('\n')}`).toMatchInlineSnapshot(`
    "
    pre-confirmed #1 tick 0           1 tx    <gas> gas  <time> ms
      new Talker(name: "Ada")
        at 0x5fbdb2315678afecb367f032d93f642f64180aa3
        0x<hash>
        from Account #0, <gas> of <limit>
        console.log:
          made Ada
    console.log   eth_call Talker.look
      total is 0
    console.log   eth_call Talker.fail
      before the revert
    failed        eth_call Talker.fail  execution reverted: nope  <time> ms
    failed        eth_estimateGas Talker.whisper  execution reverted: TooQuiet(volume: 3)  <time> ms
    failed        no_such_method  the method no_such_method does not exist/is not available  <time> ms
                               … and 1 more of these
    pre-confirmed #1 tick 1          3 txs     <gas> gas  1 reverted
      Talker.talk(text: "x\\u001b[2J\\nsealed         block 9", number: 5)
        0x<hash>
        from Account #0 to Talker, <gas> of <limit>
        console.log:
          x\\x1b[2J
          sealed         block 9 says 5
          5 true 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
      Talker.whisper()
        0x<hash>
        from Account #0 to Talker, <gas> of <limit>
        Error: execution reverted: TooQuiet(volume: 3)
        0x<hash>
        from Account #0 to Account #0, 1 ETH, <gas> of <limit>
    sealed        #1 0x<hash>…       4 txs    <gas> gas  <time> ms
    "
  `)
})

test('args: json and verbose', async () => {
  await using node = await startNode(['--json', '--verbose'])
  await node.send(encode('talk', 'Bob', 5n))
  await node.tick()
  await node.request('personal_sign', 'not hexadecimal: my secret', FROM)
  const lines = await node.stop()
  const events: Record<string, unknown>[] = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const summary = events.map(({ event, method, contract, function: called, messages, params }) =>
    [event, method, contract, called, messages ?? params].filter((part) => part !== undefined),
  )
  const advance = ['request', 'preconf_advance', null, null, [{ ticks: 1 }]]
  expect(summary).toEqual([
    ['consoleLog', null, 'Talker', null, ['made Ada']],
    ['tick'],
    advance,
    [
      'request',
      'eth_sendTransaction',
      'Talker',
      'talk(string,uint256)',
      [{ from: FROM, to: TALKER, data: expect.stringMatching(/^0x\w{31}… \(266 characters\)$/) }],
    ],
    ['consoleLog', null, 'Talker', 'talk(string,uint256)', ['Bob says 5', `5 true ${FROM}`]],
    ['tick'],
    advance,
    ['request', 'personal_sign', null, null],
  ])
  expect(events.at(-2 - 1)).toMatchObject({
    block: 1,
    transactions: [
      { contract: 'Talker', function: 'talk(string,uint256)', value: '0', status: 'success' },
    ],
  })
  expect(events.at(-1)).toMatchObject({ error: { code: -32602, message: 'invalid parameters' } })
  expect(lines.join()).not.toContain('my secret')
})

test('the log is turned off, and on again', async () => {
  await using node = await startNode(['--json'])
  await node.request('hardhat_setLoggingEnabled', false)
  await node.send(encode('talk', 'Bob', 5n))
  await node.tick()
  await node.request('no_such_method')
  await node.request('anvil_setLoggingEnabled', true)
  await node.request('preconf_seal')
  const lines = await node.stop()
  const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line).event)
  expect(events).toEqual(['consoleLog', 'tick', 'consoleLog', 'seal'])
})

test('colours where they are asked for', async () => {
  await using node = await startNode([], { FORCE_COLOR: '1', NO_COLOR: undefined })
  await node.request('no_such_method')
  const lines = await node.stop()
  expect(lines[0]?.includes(' \u001b[36mpre-confirmed ')).toBe(true)
  const failed = lines.find((line) => line.includes('no_such_method'))
  expect(failed?.includes(' \u001b[31mfailed ')).toBe(true)
})

test('a reader that stops reading holds up nothing', async () => {
  await using node = await startNode([])
  const { stdout } = node.child
  stdout?.pause()
  const shout = { to: TALKER, data: encode('shout', 15n, 16_000n) }
  // Nearly a megabyte each, as zero bytes are shown by four characters: far more than a pipe holds, or the node keeps.
  for (let count = 0; count < 5; count++) await node.request('eth_call', shout, 'pending')
  await node.send(encode('talk', 'Bob', 5n))
  await node.tick()
  expect(await node.request('eth_getTransactionCount', FROM, 'pending')).toMatchObject({
    result: '0x2',
  })
  const isTold = new Promise<void>((resolve) => {
    let tail = ''
    stdout?.on('data', (chunk: Buffer) => {
      tail = `${tail.slice(-200)}${chunk}`
      if (/^… [\d,]+ lines? left out/m.test(tail)) resolve()
    })
  })
  stdout?.resume()
  await isTold
  await node.request('no_such_method')
  expect((await node.stop()).at(-2)).toContain('no_such_method')
})

test('the wallet names calls by the same artifacts', async () => {
  const token = 'a-token-for-this-test'
  await using node = await startNode(['--wallet-policy', 'hold', '--quiet'], {
    PENDING_NODE_WALLET_TOKEN: token,
  })
  const url = await node.firstLine.then((line) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0])
  const wallet = connectWallet({ url: `${url}/wallet`, token })
  await wallet.policy({ add: { method: 'eth_requestAccounts', decision: 'approve' } })
  const ask = (method: string, params: unknown = []) =>
    fetch(`${url}/wallet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  await ask('eth_requestAccounts')
  const asked = ask('eth_sendTransaction', [{ to: TALKER, data: encode('whisper') }])
  const { id } = await wallet.waitFor({ method: 'eth_sendTransaction' })
  const seen = async () => {
    const [request] = await wallet.pending()
    return [request?.summary.title, request?.summary.warnings]
  }
  await expect
    .poll(seen, { timeout: 15_000 })
    .toEqual(['Call Talker.whisper', [expect.stringMatching(/will revert: TooQuiet\(.*\)$/)]])
  await wallet.reject(id)
  await asked
})
