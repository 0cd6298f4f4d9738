// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @dev Code for every case of a report: branches, reverts, return data of a low-level call.
contract Shelf {
    uint256[] private items;

    event Stored(uint256 indexed item);

    error TooLarge(uint256 item);

    function store(uint256 item) external returns (uint256) {
        if (item > 100) {
            revert TooLarge(item);
        }
        items.push(item);
        emit Stored(item);
        return items.length;
    }

    function count() external view returns (uint256) {
        return items.length;
    }

    function pair() external pure returns (uint256, uint256) {
        return (7, 8);
    }

    function never() external {
        items.pop();
        emit Stored(0);
    }
}

contract Shop {
    Shelf public immutable shelf;
    uint256 public price;
    mapping(address => uint256) public spent;

    constructor(uint256 price_) {
        price = price_;
        shelf = new Shelf();
    }

    function buy(uint256 item) external payable {
        require(msg.value >= price, "too little");
        spent[msg.sender] += msg.value;
        shelf.store(item);
    }

    function buy(uint256 item, uint256 times) external payable {
        for (uint256 i = 0; i < times; i++) {
            shelf.store(item + i);
        }
    }

    /// @dev Reads the return data of a call with statements in between.
    function measure() external returns (uint256 size, uint256 first) {
        (bool ok, ) = address(shelf).call(abi.encodeCall(Shelf.pair, ()));
        require(ok, "pair");
        assembly {
            size := returndatasize()
        }
        uint256 word;
        assembly {
            returndatacopy(0, 0, 32)
            word := mload(0)
        }
        first = word;
    }

    function tryStore(uint256 item) external returns (bool) {
        try shelf.store(item) returns (uint256) {
            return true;
        } catch (bytes memory reason) {
            return reason.length == 0;
        }
    }

    function unused() external view returns (uint256) {
        if (price > 10) {
            return 1;
        }
        return 2;
    }
}
