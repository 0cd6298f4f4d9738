// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Lives for one transaction if it is asked to die in the one that created it (EIP-6780).
contract Mortal {
    uint256 public value;

    constructor(uint256 initial, address payable heir) payable {
        value = initial;
        if (heir != address(0)) selfdestruct(heir);
    }

    function end(address payable heir) external {
        selfdestruct(heir);
    }
}

/// One function for each thing that a transaction can do.
contract Playground {
    event Stored(uint256 indexed slot, uint256 value, address by);
    error Refused(address by, uint256 code);

    mapping(uint256 => uint256) public stored;
    Mortal public last;
    uint256 private counter;

    receive() external payable {}

    function store(uint256 slot, uint256 value) public {
        stored[slot] = value;
        emit Stored(slot, value, msg.sender);
    }

    function storeMany(uint256 from, uint256 count, uint256 value) external {
        for (uint256 i = 0; i < count; i++) store(from + i, value);
    }

    function failWithReason(string calldata reason) external pure {
        revert(reason);
    }

    function failWithError(uint256 code) external view {
        revert Refused(msg.sender, code);
    }

    function failWithPanic(uint256[] calldata list) external pure returns (uint256) {
        return list[list.length];
    }

    /// The inner store is undone, the outer one stays.
    function tryAndFail(uint256 slot, uint256 value) external {
        store(slot, value);
        try this.storeAndFail(slot + 1, value) {} catch {}
    }

    function storeAndFail(uint256 slot, uint256 value) external {
        store(slot, value);
        revert("inner");
    }

    function burnGas(uint256 rounds) external returns (uint256 sum) {
        for (uint256 i = 0; i < rounds; i++) sum = uint256(keccak256(abi.encode(sum, i)));
        counter = sum;
    }

    function create(uint256 salt, address payable heir) external payable {
        last = new Mortal{salt: bytes32(salt), value: msg.value}(salt, heir);
    }

    function endLast(address payable heir) external {
        last.end(heir);
    }

    function environment()
        external
        view
        returns (uint256 number, uint256 time, uint256 baseFee, address coinbase, uint256 randao, bytes32 parent)
    {
        return (block.number, block.timestamp, block.basefee, block.coinbase, block.prevrandao, blockhash(block.number - 1));
    }

    /// Makes the transaction depend on the environment of its block.
    function storeEnvironment() external {
        stored[1000] = block.number;
        stored[1001] = block.timestamp;
        stored[1002] = block.prevrandao;
        stored[1003] = uint256(blockhash(block.number - 1));
        stored[1004] = block.basefee;
    }
}
