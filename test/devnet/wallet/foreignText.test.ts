import { expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'

test('no field of typed data is asked for its text, on the node and in the wallet', async () => {
  const devnet = createDevnet({ port: 0 })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const ask = async (path: string, method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${devnet.url}${path}`, { method: 'POST', headers, body })
    // The answers of this node are objects.
    return (await response.json()) as { readonly result?: unknown[]; readonly error?: unknown }
  }
  const { result = [] } = await ask('/wallet', 'eth_requestAccounts', [])
  const types = {
    chainId: 'uint256',
    name: 'string',
    verifyingContract: 'address',
    salt: 'bytes32',
  }
  for (const value of [{ toString: 1 }, { toString: 1, valueOf: 1 }, [{ toString: 1 }]]) {
    for (const [name, type] of Object.entries(types)) {
      for (const path of ['', '/wallet']) {
        const data = {
          types: { EIP712Domain: [{ name, type }], Data: [{ name: 'value', type: 'uint256' }] },
          primaryType: 'Data',
          domain: { [name]: value },
          message: { value },
        }
        const answer = await ask(path, 'eth_signTypedData_v4', [result[0], data])
        expect(answer).toMatchObject({ error: { code: -32602 } })
      }
    }
  }
})
