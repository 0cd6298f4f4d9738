// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "hardhat/console.sol";

contract Counter {
    uint256 public count;

    error TooMuch(uint256 wanted, uint256 count);

    function add(uint256 amount) external {
        console.log("adds", amount);
        count += amount;
    }

    function take(uint256 amount) external {
        _take(amount);
    }

    function _take(uint256 amount) private {
        if (amount > count) revert TooMuch(amount, count);
        count -= amount;
    }
}
