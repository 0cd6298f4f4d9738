// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Recurses until no gas is left, by the kind of call that its first byte of data names.
contract Endless {
  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := 0
      switch byte(0, calldataload(0))
      case 1 {
        ok := call(gas(), address(), 0, 0, calldatasize(), 0, 0)
      }
      case 2 {
        ok := delegatecall(gas(), address(), 0, calldatasize(), 0, 0)
      }
      case 3 {
        ok := staticcall(gas(), address(), 0, calldatasize(), 0, 0)
      }
      case 4 {
        ok := callcode(gas(), address(), 0, 0, calldatasize(), 0, 0)
      }
      if iszero(ok) {
        revert(0, 0)
      }
    }
  }
}

/// Its constructor deploys it again.
contract EndlessCreation {
  constructor() {
    assembly {
      codecopy(0, 0, codesize())
      if iszero(create(0, 0, codesize())) {
        revert(0, 0)
      }
    }
  }
}

/// Its implementation is in a slot, and may be another such proxy, or itself.
contract SlotProxy {
  address target;

  function upgrade(address to) external {
    target = to;
  }

  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(target.slot), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) {
        revert(0, returndatasize())
      }
      return(0, returndatasize())
    }
  }
}
