// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IHalts {
  /// Declared so, it is called statically.
  function write() external view;

  function run() external;
}

contract Empty {}

/// Code that begins with 0xef (EIP-3541).
contract Reserved {
  constructor() {
    assembly {
      mstore8(0, 0xef)
      return(0, 1)
    }
  }
}

/// Fails as code that takes all gas.
contract Halts {
  uint256 written;

  function write() external {
    written = 1;
  }

  function writesStatically() external view {
    IHalts(address(this)).write();
  }

  function creates(bytes32 salt) public {
    new Empty{salt: salt}();
  }

  function createsTwice() external {
    creates(0);
    creates(0);
  }

  function createsReserved() external {
    new Reserved();
  }

  function runs(address other) external {
    IHalts(other).run();
  }
}
