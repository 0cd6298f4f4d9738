import { Copy } from './parts.tsx'
import { state } from './store.ts'

/** Instructions for a first transaction, with this node's own address and accounts. */
export function NoneYet() {
  const url = location.origin
  const [from, to] = devAccounts()
  const params = `[{"from":"${from}","to":"${to}","value":"0x1"}]`
  const body = `{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":${params}}`
  return (
    <div class="panel">
      <div class="empty">
        <strong>No transactions yet.</strong>
        Send one to this node, for example:
      </div>
      <ul class="examples">
        <Example name="curl">
          {`curl ${url} -H 'content-type: application/json' -d '${body}'`}
        </Example>
        <Example name="viem">
          {`await createWalletClient({ account: '${from}', chain: hardhat, transport: http('${url}') }).sendTransaction({ to: '${to}', value: 1n })`}
        </Example>
        <Example name="Hardhat">npx hardhat run scripts/deploy.ts --network localhost</Example>
      </ul>
    </div>
  )
}

/** The first two unlocked accounts, or what stands for them. */
function devAccounts(): readonly [string, string] {
  const named = Object.entries(state.value?.names ?? {})
  const addressOf = (index: number) =>
    named.find(([, name]) => name === `Account #${index}`)?.[0] ?? '<account>'
  return [addressOf(0), addressOf(1)]
}

function Example({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <li>
      <span class="note">{name}</span>
      <code class="wrap">{children}</code>
      <Copy text={children} what={name} />
    </li>
  )
}
