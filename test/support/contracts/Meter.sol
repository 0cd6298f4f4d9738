// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Emits the gas that one operation takes, as gasleft() sees it.
contract Meter {
    event Measured(uint256 used);

    uint256 private zero;
    uint256 private one = 1;

    constructor() payable {}

    function setSlot() external {
        uint256 before = gasleft();
        assembly {
            sstore(zero.slot, 1)
        }
        emit Measured(before - gasleft());
    }

    function changeSlot() external {
        uint256 before = gasleft();
        assembly {
            sstore(one.slot, 2)
        }
        emit Measured(before - gasleft());
    }

    function clearSlot() external {
        assembly {
            sstore(one.slot, 0)
        }
    }

    function readBalance(address of_) external {
        uint256 before = gasleft();
        uint256 wei_ = of_.balance;
        uint256 used = before - gasleft();
        // What nobody uses is not read.
        require(wei_ < type(uint256).max);
        emit Measured(used);
    }

    function pay(address payable to) external {
        uint256 before = gasleft();
        assembly {
            pop(call(0, to, 1, 0, 0, 0, 0))
        }
        emit Measured(before - gasleft());
    }

    function create() external {
        uint256 before = gasleft();
        assembly {
            pop(create(0, 0, 0))
        }
        emit Measured(before - gasleft());
    }
}
