// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { Token } from "./Token.sol";

/// Keeps tokens for one day after the last deposit.
contract Vault {
    uint256 public constant LOCK = 1 days;

    Token public immutable token;
    mapping(address => uint256) public deposited;
    mapping(address => uint256) public unlockAt;
    uint256 public total;

    event Deposited(address indexed account, uint256 amount, uint256 unlockAt);
    event Withdrawn(address indexed account, uint256 amount);

    error Locked(uint256 unlockAt);
    error TooMuch(uint256 wanted, uint256 deposited);

    constructor(Token token_) {
        token = token_;
    }

    function deposit(uint256 amount) external {
        require(amount > 0, "Vault: nothing to deposit");
        deposited[msg.sender] += amount;
        total += amount;
        unlockAt[msg.sender] = block.timestamp + LOCK;
        token.transferFrom(msg.sender, address(this), amount);
        emit Deposited(msg.sender, amount, unlockAt[msg.sender]);
    }

    function withdraw(uint256 amount) external {
        if (amount > deposited[msg.sender]) revert TooMuch(amount, deposited[msg.sender]);
        if (block.timestamp < unlockAt[msg.sender]) revert Locked(unlockAt[msg.sender]);
        deposited[msg.sender] -= amount;
        total -= amount;
        token.transfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
    }

    /// The part of all deposits that is the account's, in basis points. Panics while there are none.
    function share(address account) external view returns (uint256) {
        return (deposited[account] * 10_000) / total;
    }
}
