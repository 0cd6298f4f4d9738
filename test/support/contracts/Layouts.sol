// SPDX-License-Identifier: MIT
pragma solidity ^0.8.21;

/// Variables of all kinds.
contract Ledger {
    enum Mood {
        Calm,
        Angry
    }

    type Price is uint96;

    struct Position {
        uint128 shares;
        bool isOpen;
        Mood mood;
        address[] friends;
        string note;
    }

    uint8 public small;
    int16 public negative;
    address public owner;
    mapping(address => Position) internal positions;
    mapping(string => mapping(uint256 => int256)) internal scores;
    Position[] internal list;
    uint16[5] internal fixedList;
    string public title;
    bytes public data;
    Price public price;
    bytes4 internal tag;

    function open(address who, uint128 shares, string calldata note) external {
        Position storage position = positions[who];
        position.shares = shares;
        position.isOpen = true;
        position.mood = Mood.Angry;
        position.friends.push(msg.sender);
        position.note = note;
    }

    function push(string calldata note) external {
        list.push();
        list[list.length - 1].shares = 3;
        list[list.length - 1].note = note;
    }

    function rest(string calldata key, uint256 index) external {
        small = 7;
        negative = -2;
        owner = msg.sender;
        scores[key][index] = -5;
        fixedList[3] = 9;
        price = Price.wrap(5);
        tag = 0x12345678;
    }

    function rename(string calldata title_, bytes calldata data_) external {
        title = title_;
        data = data_;
    }
}

/// A proxy with an upgrade, whose storage is that of its implementation.
contract Front {
    bytes32 private constant IMPLEMENTATION =
        0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(IMPLEMENTATION, implementation)
        }
    }

    function upgradeTo(address implementation) external {
        assembly {
            sstore(IMPLEMENTATION, implementation)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(IMPLEMENTATION), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
