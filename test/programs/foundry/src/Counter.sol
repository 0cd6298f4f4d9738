// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Counter {
    event Increased(uint256 count);

    uint256 public count;

    function increase() external {
        emit Increased(++count);
    }
}
