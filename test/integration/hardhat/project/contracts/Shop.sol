// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Stock {
    event Added(uint256 indexed item, uint256 amount);
    error OutOfStock(uint256 item, uint256 left);

    address public immutable keeper;
    mapping(uint256 => uint256) public amount;

    constructor(address initial) {
        keeper = initial;
    }

    function add(uint256 item, uint256 more) external {
        require(msg.sender == keeper, "not the keeper");
        amount[item] += more;
        emit Added(item, more);
    }

    function take(uint256 item, uint256 count) external {
        if (amount[item] < count) revert OutOfStock(item, amount[item]);
        amount[item] -= count;
    }
}

contract Shop {
    event Sold(uint256 indexed item, uint256 count, address buyer);

    Stock public immutable stock;
    bool public isOpen;

    constructor(Stock initial) {
        stock = initial;
    }

    function open() external {
        isOpen = true;
    }

    function buy(uint256 item, uint256 count) external payable {
        require(isOpen, "closed");
        stock.take(item, count);
        emit Sold(item, count, msg.sender);
    }
}
