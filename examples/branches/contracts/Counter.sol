// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Counts up, says so in an event, and can fail.
contract Counter {
    uint256 public value;

    event Incremented(address indexed by, uint256 value);

    function increment() external {
        value += 1;
        emit Incremented(msg.sender, value);
    }

    function fail() external pure {
        revert("Counter: asked to fail");
    }
}
