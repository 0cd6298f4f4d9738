// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "hardhat/console.sol";
import "./Token.sol";

/// @dev Takes ether for shares, and rewards with tokens: calls, events and failures in one.
contract Vault {
    error InsufficientShares(uint256 wanted, uint256 left);

    event Deposited(address indexed owner, uint256 value);

    Token public token;
    mapping(address => uint256) public sharesOf;

    constructor(Token token_) {
        token = token_;
    }

    function deposit() external payable {
        console.log("%s deposits %d wei", msg.sender, msg.value);
        sharesOf[msg.sender] += msg.value;
        token.mint(msg.sender, msg.value / 100);
        emit Deposited(msg.sender, msg.value);
    }

    function withdraw(uint256 shares) external {
        uint256 left = sharesOf[msg.sender];
        if (shares > left) revert InsufficientShares(shares, left);
        sharesOf[msg.sender] = left - shares;
        payable(msg.sender).transfer(shares);
    }
}
