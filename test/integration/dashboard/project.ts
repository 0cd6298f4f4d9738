// A project whose contracts fail in many ways. Each line that fails names its case: `<< case`.

const VAULT = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Owned.sol";

error NotEnoughShares(address owner, uint256 wanted, uint256 left);

/// Grüße: text before the code that has more bytes than characters, 金庫.
function half(uint256 value) pure returns (uint256) {
    require(value % 2 == 0, "odd"); // << free
    return value / 2;
}

library Checks {
    function positive(uint256 value) internal pure returns (uint256) {
        require(value > 0, "not positive"); // << library
        return value;
    }

    function outside(uint256 value) external pure {
        require(value > 100, "too small"); // << external library
    }
}

contract Vault is Owned {
    uint256 public immutable limit;
    mapping(address => uint256) public shares;
    uint256[] private list;

    constructor(uint256 given) {
        require(given > 0, "no limit"); // << constructor
        limit = given;
    }

    function withdraw(uint256 amount) external {
        _take(msg.sender, amount); // << takes
    }

    function _take(address owner, uint256 amount) internal {
        if (shares[owner] < amount)
            revert NotEnoughShares(owner, amount, shares[owner]); // << custom
        shares[owner] -= amount;
    }

    function silent(uint256 value) external view {
        require(value < limit); // << silent
    }

    function overflow(uint8 value) external pure returns (uint8) {
        uint8 sum = value + 250; // << overflow
        return sum;
    }

    function element(uint256 index) external view returns (uint256) {
        return list[index]; // << index
    }

    function modified() external view onlyOwner returns (uint256) { // << modified
        return limit;
    }

    function inherited() external view returns (uint256) {
        check(limit); // << checks
        return 1;
    }

    function viaLibrary(uint256 value) external pure returns (uint256) {
        return Checks.positive(value) + half(value); // << uses
    }

    function viaExternal(uint256 value) external pure {
        Checks.outside(value); // << to the library
    }

    function loop(uint256 times) external pure returns (uint256 sum) {
        for (uint256 i = 0; i < times; i++) sum += Checks.positive(i + 1);
        require(sum == 0, "sum"); // << loop
    }

    function recurse(uint256 left) public pure returns (uint256) {
        if (left == 0) revert("bottom"); // << bottom
        return recurse(left - 1) + 1; // << recursion
    }

    function burn() external pure {
        while (true) {} // << gas
    }
}
`

const OWNED = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Owned {
    address public owner = address(1);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner"); // << modifier
        _;
    }

    function check(uint256 limit) internal pure {
        assert(limit == 0); // << inherited
    }
}
`

const ROUTER = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Vault.sol";

error SwapFailed(bytes reason);

contract Router {
    event Asked(address indexed vault, uint256 amount);
    event Done(uint256 amount);

    function mustWithdraw(Vault vault, uint256 amount) external {
        vault.withdraw(amount); // << to the vault
    }

    function swap(Vault vault, uint256 amount) external {
        try vault.withdraw(amount) {} catch (bytes memory reason) { // << wrapped
            revert SwapFailed(reason);
        }
    }

    function careful(Vault vault, uint256 amount) external {
        try vault.withdraw(amount) {} catch {}
        require(amount == 0, "another reason"); // << unrelated
    }

    function make() external returns (Vault) {
        return new Vault(0); // << creation
    }

    function multicall(bytes[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory result) = address(this).delegatecall(calls[i]); // << delegated
            if (!ok) assembly { revert(add(result, 32), mload(result)) } // << multicall
        }
    }

    function note(Vault vault) external {
        emit Asked(address(vault), 1);
        vault.limit();
        emit Done(2);
    }
}
`

export const SOURCES = {
  'contracts/Owned.sol': OWNED,
  'contracts/Vault.sol': VAULT,
  'contracts/Router.sol': ROUTER,
}

/** The place of a case: its file, and the number of its line. */
export function placeOf(name: string): { readonly file: string; readonly line: number } {
  for (const [file, text] of Object.entries(SOURCES)) {
    const index = text.split('\n').findIndex((line) => line.endsWith(`// << ${name}`))
    if (index >= 0) return { file, line: index + 1 }
  }
  throw new Error(`No case ${name}`)
}
