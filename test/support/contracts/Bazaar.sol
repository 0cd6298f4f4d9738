// SPDX-License-Identifier: MIT
pragma solidity ^0.8.21;

/// Sells tokens of ERC-1155, takes orders with nested parameters, and reverts with its own errors.
contract Bazaar {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );

    error TooMuch(uint256 wanted, address by);

    struct Item {
        address seller;
        uint96 price;
    }

    struct Order {
        Item item;
        uint256[] sizes;
        string note;
    }

    string public name;

    constructor(string memory name_) {
        name = name_;
    }

    function buy(uint256 id, uint256 amount) external {
        if (amount > 100) revert TooMuch(amount, msg.sender);
        emit TransferSingle(msg.sender, address(this), msg.sender, id, amount);
    }

    function give(address to, uint256 id, uint256 amount) external {
        emit TransferSingle(msg.sender, msg.sender, to, id, amount);
    }

    function giveMany(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
        emit TransferBatch(msg.sender, msg.sender, to, ids, amounts);
    }

    function place(Order[] calldata orders, bytes calldata data) external {}

    /// Passes on the error of another contract.
    function open(Coffer coffer) external view {
        coffer.open();
    }
}

contract Coffer {
    error Locked(address by, string why);

    function open() external view {
        revert Locked(msg.sender, "no key");
    }
}

/// A proxy that keeps its implementation where EIP-1967 says.
contract Stand {
    constructor(address implementation) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
        }
    }

    function close() external {}

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let target := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
