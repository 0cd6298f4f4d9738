import type { AbiEntry, AbiParameter } from '../../primitives/abi.ts'

/**
 * Functions and events of ERC-20, ERC-721, ERC-1155 and ERC-2612, and the errors of ERC-6093: known
 * by their selectors alone, for contracts without an artifact. ERC-20 and ERC-721 share the
 * selectors of `approve` and `transferFrom`, and the events, of which they index different parts.
 */
export const STANDARD_ABI: readonly AbiEntry[] = [
  ...entries('function', [
    'transfer(address to, uint256 amount)',
    'transferFrom(address from, address to, uint256 amountOrId)',
    'approve(address spender, uint256 amountOrId)',
    'increaseAllowance(address spender, uint256 addedValue)',
    'decreaseAllowance(address spender, uint256 subtractedValue)',
    'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'safeTransferFrom(address from, address to, uint256 id)',
    'safeTransferFrom(address from, address to, uint256 id, bytes data)',
    'setApprovalForAll(address operator, bool approved)',
    'safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
    'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  ]),
  ...entries('event', [
    'Transfer(address indexed from, address indexed to, uint256 value)',
    'Transfer(address indexed from, address indexed to, uint256 indexed id)',
    'Approval(address indexed owner, address indexed spender, uint256 value)',
    'Approval(address indexed owner, address indexed approved, uint256 indexed id)',
    'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
    'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
    'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ]),
  ...entries('error', [
    'ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'ERC20InvalidSender(address sender)',
    'ERC20InvalidReceiver(address receiver)',
    'ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
    'ERC20InvalidApprover(address approver)',
    'ERC20InvalidSpender(address spender)',
    'ERC721InvalidOwner(address owner)',
    'ERC721NonexistentToken(uint256 tokenId)',
    'ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
    'ERC721InvalidSender(address sender)',
    'ERC721InvalidReceiver(address receiver)',
    'ERC721InsufficientApproval(address operator, uint256 tokenId)',
    'ERC721InvalidApprover(address approver)',
    'ERC721InvalidOperator(address operator)',
    'ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
    'ERC1155InvalidSender(address sender)',
    'ERC1155InvalidReceiver(address receiver)',
    'ERC1155MissingApprovalForAll(address operator, address owner)',
    'ERC1155InvalidApprover(address approver)',
    'ERC1155InvalidOperator(address operator)',
    'ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)',
  ]),
]

/** Reads lines such as `transfer(address to, uint256 amount)`. */
function entries(kind: string, lines: readonly string[]): AbiEntry[] {
  return lines.map((line) => {
    const [name = '', list = ''] = line.slice(0, -1).split('(')
    const inputs = list.split(', ').map(parameter)
    return { kind, name, inputs, signature: `${name}(${inputs.map(({ type }) => type).join()})` }
  })
}

function parameter(text: string): AbiParameter {
  const [type = '', ...words] = text.split(' ')
  const name = words.at(-1) ?? ''
  return { type, name, components: [], ...(words.length > 1 ? { indexed: true } : {}) }
}
