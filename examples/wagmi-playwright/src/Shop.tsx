import { parseEther, zeroHash } from 'viem'
import {
  useChainId,
  useConnect,
  useConnection,
  useConnectors,
  useSendTransaction,
  useSwitchChain,
  useTransactionReceipt,
} from 'wagmi'

const SHOP = '0x5409ED021D9299bf6814279A6A1411A7e866A631'

/** Connects a wallet, adds the chain to it, and takes a payment: one button at a time. */
export function Shop() {
  const { chainId: walletChain } = useConnection()
  const chainId = useChainId()
  const [connector] = useConnectors()
  const connect = useConnect()
  // Asks the wallet to add the chain if it does not know it.
  const add = useSwitchChain()
  const pay = useSendTransaction()

  const [label, step, act] =
    walletChain === undefined
      ? (['Connect', connect, () => connector && connect.mutate({ connector })] as const)
      : walletChain !== chainId
        ? (['Add network', add, () => add.mutate({ chainId })] as const)
        : (['Pay 1 ETH', pay, () => pay.mutate({ to: SHOP, value: parseEther('1') })] as const)
  const text = step.isPending
    ? 'Waiting for your wallet …'
    : // The first line says what is wrong, the others are for developers.
      step.error?.message.split('\n')[0]
  return (
    <>
      <button type="button" disabled={connector === undefined || step.isPending} onClick={act}>
        {label}
      </button>
      <p role="status">{text ?? (pay.data && <Payment hash={pay.data} />)}</p>
    </>
  )
}

/** Tells how far a payment is. */
function Payment({ hash }: { hash: `0x${string}` }) {
  const { data: receipt } = useTransactionReceipt({ hash, query: { refetchInterval: 200 } })
  if (receipt === undefined) return 'Sent'
  // A block has no hash before its seal.
  return `${receipt.blockHash === zeroHash ? 'Pre-confirmed' : 'Sealed'} in block ${receipt.blockNumber}`
}
