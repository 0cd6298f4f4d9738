// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Compiled by way of the intermediate representation, with the optimizer.
contract Inlined {
  error TooMuch(uint256 amount);

  uint256 public total;

  function spend(uint256 amount) external {
    _check(amount);
    total += amount;
  }

  function _check(uint256 amount) internal pure {
    if (amount > 5) revert TooMuch(amount);
    require(amount != 3, 'three');
  }
}
