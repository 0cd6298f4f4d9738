// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { Token } from "./Token.sol";

/// A constant-product market of two tokens with a fee of 0.3 %.
contract Pool {
    Token public immutable base;
    Token public immutable quote;
    uint256 public reserveBase;
    uint256 public reserveQuote;

    event Swapped(address indexed account, bool sellsBase, uint256 amountIn, uint256 amountOut);

    error Slippage(uint256 wanted, uint256 offered);

    constructor(Token base_, Token quote_) {
        base = base_;
        quote = quote_;
    }

    function addLiquidity(uint256 amountBase, uint256 amountQuote) external {
        base.transferFrom(msg.sender, address(this), amountBase);
        quote.transferFrom(msg.sender, address(this), amountQuote);
        reserveBase += amountBase;
        reserveQuote += amountQuote;
    }

    function offer(bool sellsBase, uint256 amountIn) public view returns (uint256) {
        (uint256 from, uint256 to) = sellsBase ? (reserveBase, reserveQuote) : (reserveQuote, reserveBase);
        uint256 taken = amountIn * 997;
        return (taken * to) / (from * 1000 + taken);
    }

    function swap(bool sellsBase, uint256 amountIn, uint256 minimum) external returns (uint256 amountOut) {
        amountOut = offer(sellsBase, amountIn);
        if (amountOut < minimum) revert Slippage(minimum, amountOut);
        (Token from, Token to) = sellsBase ? (base, quote) : (quote, base);
        from.transferFrom(msg.sender, address(this), amountIn);
        to.transfer(msg.sender, amountOut);
        if (sellsBase) {
            reserveBase += amountIn;
            reserveQuote -= amountOut;
        } else {
            reserveQuote += amountIn;
            reserveBase -= amountOut;
        }
        emit Swapped(msg.sender, sellsBase, amountIn, amountOut);
    }
}
