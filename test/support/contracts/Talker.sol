// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "hardhat/console.sol";

/// @dev Prints with Hardhat's console.sol.
contract Talker {
    error TooQuiet(uint256 volume);

    uint256 public total;

    constructor(string memory name) {
        console.log("made %s", name);
    }

    function talk(string memory text, uint256 number) external returns (uint256) {
        console.log("%s says %d", text, number);
        total += number;
        console.log(number, true, msg.sender);
        return total;
    }

    function look() external view returns (uint256) {
        console.log("total is", total);
        return total;
    }

    function fail() external {
        console.log("before the revert");
        total = 1;
        revert("nope");
    }

    function whisper() external pure {
        revert TooQuiet(3);
    }

    /// @dev As console.sol does it, with whatever calldata.
    function raw(bytes memory data) external view returns (bool success) {
        (success, ) = 0x000000000000000000636F6e736F6c652e6c6f67.staticcall(data);
    }

    /// @dev As {raw}, to an address where nothing is and nothing listens.
    function elsewhere(bytes memory data) external view returns (bool success) {
        (success, ) = 0x000000000000000000636f6E736F6C652e6c6F68.staticcall(data);
    }

    /// @dev Prints much for little work: texts of zero bytes.
    function shout(uint256 times, uint256 length) external pure {
        string memory text = new string(length);
        for (uint256 i = 0; i < times; i++) console.log(text);
    }

    function chatter(uint256 lines) external view {
        for (uint256 i = 0; i < lines; i++) console.log(i);
    }
}
