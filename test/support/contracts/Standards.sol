// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Token.sol";

/// What clients know by a standard: as small as each standard lets it be.

/// ERC-20 in full.
contract Coin is Token {
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public constant symbol = "COIN";
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 supply) Token(supply) {}

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}

/// The Universal Resolver of ENS, which is the resolver of each of its names, too.
contract Names {
    struct Record {
        address owner;
        string name;
        mapping(string => string) texts;
    }

    mapping(bytes32 => Record) private records;
    mapping(address => bytes32) private primary;

    function register(bytes32 node, string calldata name, address owner) external {
        records[node].owner = owner;
        records[node].name = name;
        primary[owner] = node;
    }

    function setText(bytes32 node, string calldata key, string calldata value) external {
        records[node].texts[key] = value;
    }

    function addr(bytes32 node) external view returns (address) {
        return records[node].owner;
    }

    function text(bytes32 node, string calldata key) external view returns (string memory) {
        return records[node].texts[key];
    }

    function resolveWithGateways(bytes calldata, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory result, address resolver)
    {
        bool success;
        (success, result) = address(this).staticcall(data);
        require(success, "no such record");
        resolver = address(this);
    }

    function reverseWithGateways(bytes calldata owner, uint256, string[] calldata)
        external
        view
        returns (string memory name, address resolver, address reverseResolver)
    {
        return (records[primary[address(bytes20(owner))]].name, address(this), address(this));
    }

    function findResolver(bytes calldata name) external view returns (address, bytes32, uint256) {
        return (address(this), keccak256(name), 0);
    }
}

/// Account that signs with the key of its owner (ERC-1271), and names its domain (ERC-5267).
contract OwnedAccount {
    address private immutable owner;

    constructor(address initial) {
        owner = initial;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == owner ? bytes4(0x1626ba7e) : bytes4(0);
    }

    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (0x0f, "Owned", "1", block.chainid, address(this), 0, new uint256[](0));
    }
}

/// The function of Multicall3 that clients use.
contract Multicall {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(calls[i].allowFailure || results[i].success, "Multicall3: call failed");
        }
    }
}

/// Asks for data from outside the chain (ERC-3668).
contract OffchainValue {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    function value() external view returns (uint256) {
        string[] memory urls = new string[](1);
        urls[0] = "https://gateway.invalid/{sender}/{data}.json";
        revert OffchainLookup(address(this), urls, "question", this.answered.selector, abi.encode(uint256(2)));
    }

    function answered(bytes calldata response, bytes calldata extra) external pure returns (uint256) {
        return abi.decode(response, (uint256)) * abi.decode(extra, (uint256));
    }
}
