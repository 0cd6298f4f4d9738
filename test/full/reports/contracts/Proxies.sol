// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @dev Forwards all calls to its target.
contract Proxy {
    address private immutable target;

    constructor(address target_) {
        target = target_;
    }

    fallback() external payable {
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }

    receive() external payable {}
}

library Sums {
    function sum(uint256[] memory all) external pure returns (uint256 total) {
        for (uint256 i = 0; i < all.length; i++) {
            total += all[i];
        }
    }
}

contract Counter {
    uint256 public count;

    event Counted(uint256 count);

    function add(uint256 n) external returns (uint256) {
        count += n;
        emit Counted(count);
        return count;
    }

    function add(uint256 n, string calldata note) external {
        count += n + bytes(note).length;
    }

    function fail() external pure {
        revert("no");
    }

    function many(uint256[] calldata all) external pure returns (uint256) {
        return Sums.sum(all);
    }

    receive() external payable {
        count++;
    }
}

contract Factory {
    Counter public last;

    function make() external returns (Counter) {
        last = new Counter();
        return last;
    }

    /// @dev A minimal proxy (EIP-1167), which has no artifact.
    function clone(address target) external returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", target, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
    }
}
