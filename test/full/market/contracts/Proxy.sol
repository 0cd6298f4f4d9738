// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A proxy whose implementation lies where ERC-1967 has it.
contract Proxy {
    bytes32 private constant SLOT = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

    constructor(address implementation, bytes memory initialization) {
        bytes32 slot = SLOT;
        assembly {
            sstore(slot, implementation)
        }
        (bool done, ) = implementation.delegatecall(initialization);
        require(done, "Proxy: not initialized");
    }

    fallback() external {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}
