// SPDX-License-Identifier: MIT
pragma solidity ^0.8.21;

/// A token with a symbol and allowances, and collectibles beside it.
contract Coupon {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    string public constant symbol = "COIN";
    uint8 public constant decimals = 6;

    function transfer(address to, uint256 value) external payable {
        require(value < 10 ** 12, "too much");
        emit Transfer(msg.sender, to, value);
    }

    function approve(address spender, uint256 value) external {
        emit Approval(msg.sender, spender, value);
    }

    function setApprovalForAll(address operator, bool approved) external {
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// Sends what came along back, with coins for it.
    function refund() external payable {
        emit Transfer(address(this), msg.sender, 2_500_000);
        payable(msg.sender).transfer(msg.value);
    }
}

/// A collectible, and a token that answers neither symbol nor decimals.
contract Nameless {
    function take(uint256 id) external {
        emit Collectible.Transfer(address(this), msg.sender, id);
    }

    function pay(address to, uint256 value) external {
        emit Coupon.Transfer(msg.sender, to, value);
    }
}

interface Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
}
