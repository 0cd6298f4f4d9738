// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Calls itself until no gas is left, by the kind of call that its first byte of data names. The second
/// byte says what it does then: 0 reverts, 1 succeeds, 2 takes all gas, if there was much of it.
contract Endless {
  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := 0
      let end := byte(1, calldataload(0))
      if and(eq(end, 2), gt(gas(), 1000000)) {
        invalid()
      }
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
      if iszero(or(ok, eq(end, 1))) {
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
