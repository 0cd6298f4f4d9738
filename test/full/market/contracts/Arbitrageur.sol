// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { Pool } from "./Pool.sol";
import { Token } from "./Token.sol";

/// Buys base where it is cheap, sells it where it is dear, in one transaction.
contract Arbitrageur {
    event Profit(address indexed account, uint256 amount);

    error Unprofitable(uint256 spent, uint256 earned);

    function run(Pool cheap, Pool dear, uint256 spend) external {
        Token base = cheap.base();
        Token quote = cheap.quote();
        quote.transferFrom(msg.sender, address(this), spend);
        quote.approve(address(cheap), spend);
        uint256 bought = cheap.swap(false, spend, 0);
        base.approve(address(dear), bought);
        uint256 earned = dear.swap(true, bought, 0);
        if (earned <= spend) revert Unprofitable(spend, earned);
        quote.transfer(msg.sender, earned);
        emit Profit(msg.sender, earned - spend);
    }
}
