// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {console} from 'hardhat/console.sol';

error Refused(address who, uint256 amount);
error Blank();

library Checks {
  function positive(uint256 amount) external pure {
    require(amount > 0, 'not positive');
  }

  function small(uint256 amount) internal pure {
    require(amount < 10, 'not small');
  }
}

/// What Solidity makes of a call that fits nothing: no fallback, no receive.
contract Strict {
  uint256 public number;

  function set(uint256 value) external returns (uint256) {
    require(value != 13, 'unlucky');
    return number = value;
  }
}

/// A fallback and a receive that take no ether.
contract Deaf {
  fallback() external {}
}

contract Picky {
  fallback() external payable {
    revert('fallback');
  }

  receive() external payable {
    revert('receive');
  }
}

contract Built {
  constructor(uint256 amount) {
    require(amount > 1, 'built of too little');
  }
}

/// One byte more than mainnet allows.
contract Huge {
  constructor() {
    assembly {
      return(0, 24577)
    }
  }
}

contract Base {
  modifier onlyNobody() {
    require(msg.sender == address(0), 'not nobody');
    _;
  }

  function inherited() public view virtual onlyNobody returns (uint256) {
    return 1;
  }
}

interface ISize {
  function number() external view returns (uint256);

  function missing() external view returns (uint256);

  function set(uint256 value) external returns (uint256);
}

contract Proxy {
  address immutable target;

  constructor(address to) {
    target = to;
  }

  fallback() external payable {
    address to = target;
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok
      case 0 {
        revert(0, returndatasize())
      }
      default {
        return(0, returndatasize())
      }
    }
  }
}

contract Linked {
  function positive(uint256 amount) external pure {
    Checks.positive(amount);
  }
}

contract Failures is Base {
  uint256[] list;
  uint256 public stored;
  Strict public strict = new Strict();
  Deaf public deaf = new Deaf();

  enum Kind {
    One,
    Two
  }

  function reason() external pure {
    revert('because');
  }

  function requireOnly(bool ok) external pure {
    require(ok);
  }

  function bare() external pure {
    revert();
  }

  function custom(uint256 amount) external view {
    revert Refused(msg.sender, amount);
  }

  function blank() external pure {
    revert Blank();
  }

  function nested(uint256 amount) external view {
    _outer(amount);
  }

  function _outer(uint256 amount) internal view {
    _inner(amount + 1);
  }

  function _inner(uint256 amount) internal view {
    if (amount > 0) revert Refused(address(this), amount);
  }

  function asserts() external pure {
    assert(false);
  }

  function overflow(uint256 a) external pure returns (uint256) {
    return a + type(uint256).max;
  }

  function divide(uint256 by) external pure returns (uint256) {
    return 1 / by;
  }

  function element(uint256 index) external view returns (uint256) {
    return list[index];
  }

  function popEmpty() external {
    list.pop();
  }

  function convert(uint256 value) external pure returns (Kind) {
    return Kind(value);
  }

  function invalid() external pure {
    assembly {
      invalid()
    }
  }

  function starves() external view {
    this.burns{gas: 50_000}();
  }

  function external_(uint256 value) external returns (uint256) {
    return strict.set(value);
  }

  function tries(uint256 value) external returns (uint256) {
    try strict.set(value) returns (uint256 set) {
      return set;
    } catch Error(string memory text) {
      revert(string.concat('caught: ', text));
    }
  }

  function lowLevel() external {
    (bool ok, ) = address(strict).call(abi.encodeCall(Strict.set, (13)));
    require(ok, 'low level');
  }

  function transfers() external payable {
    payable(address(deaf)).transfer(msg.value);
  }

  function callsNobody() external view returns (uint256) {
    return ISize(address(0x1234)).number();
  }

  function callsMissing() external view returns (uint256) {
    return ISize(address(strict)).missing();
  }

  /// The fallback of Deaf returns nothing.
  function wrongSize() external view returns (uint256) {
    return ISize(address(deaf)).number();
  }

  function callsUnknown(address unknown) external returns (uint256) {
    return ISize(unknown).set(1);
  }

  function creates() external returns (address) {
    return address(new Built(1));
  }

  function createsHuge() external returns (address) {
    return address(new Huge());
  }

  function librarySmall(uint256 amount) external pure {
    Checks.small(amount);
  }

  function inherited() public view override returns (uint256) {
    return super.inherited();
  }

  function store(uint256 value) external payable {
    require(value != 7, 'seven');
    stored = value;
  }

  function storedBelow(uint256 limit) external view {
    require(stored < limit, 'stored is too much');
  }

  function says(uint256 value) external view {
    console.log('value', value);
    require(value == 0, 'said');
  }

  function burns() external view {
    while (gasleft() > 0) stored;
  }

  function burnsThenReverts(uint256 slots) external view {
    uint256 sum;
    for (uint256 slot = 1000; slot < 1000 + slots; slot++) {
      assembly {
        sum := add(sum, sload(slot))
      }
    }
    require(sum != 0, 'burnt');
  }

  function balanceBelow(uint256 limit) external view {
    require(address(this).balance < limit, 'balance is too much');
  }

  function senderIs(address who) external view {
    require(msg.sender != who, 'sender is');
  }

  function paysLess(uint256 price) external view {
    require(tx.gasprice < price, 'price is too high');
  }

  function environment(uint256 number, uint256 time, uint256 fee, uint256 randao, uint256 chain) external view {
    require(block.number != number || block.timestamp != time, 'number and time');
    require(block.basefee != fee, 'base fee');
    require(block.prevrandao != randao, 'randao');
    require(block.chainid != chain, 'chain');
    revert('none');
  }

  function hash(uint256 number) external view {
    if (blockhash(number) != 0) revert Refused(address(this), uint256(blockhash(number)));
  }
}
