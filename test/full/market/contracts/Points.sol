// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Linked into contracts: its functions are called with DELEGATECALL.
library Points {
    error NoPeriod(uint256 amount);

    /// One point for each token and day.
    function earned(uint256 amount, uint256 period) external pure returns (uint256) {
        if (period == 0) revert NoPeriod(amount);
        return (amount * period) / 1 days;
    }
}
