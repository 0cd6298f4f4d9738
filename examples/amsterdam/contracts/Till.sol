// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Takes ether, and pays it out.
contract Till {
    event Paid(address indexed to, uint256 value);

    receive() external payable {}

    function pay(address payable to, uint256 value) external {
        (bool sent, ) = to.call{value: value}("");
        require(sent, "Till: not sent");
        emit Paid(to, value);
    }
}
