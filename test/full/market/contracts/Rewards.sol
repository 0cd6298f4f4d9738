// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { Points } from "./Points.sol";
import { Vault } from "./Vault.sol";

/// Gives points for deposits. Runs behind a proxy.
contract Rewards {
    Vault public vault;
    mapping(address => uint256) public points;

    event Claimed(address indexed account, uint256 points);

    error AlreadyInitialized();

    function initialize(Vault vault_) external {
        if (address(vault) != address(0)) revert AlreadyInitialized();
        vault = vault_;
    }

    function claim(uint256 period) external {
        uint256 earned = Points.earned(vault.deposited(msg.sender), period);
        points[msg.sender] += earned;
        emit Claimed(msg.sender, earned);
    }

    function spend(uint256 amount) external {
        points[msg.sender] -= amount;
    }
}
